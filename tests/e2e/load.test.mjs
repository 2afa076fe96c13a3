// The page as a static host serves it: it starts, its worker answers, it stays quiet and at home.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, openPage } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("the page starts and its worker answers, without a word on the console or a request elsewhere", async () => {
  // A link without a workload: only the worker can say that nothing runs.
  const { page, check } = await openPage(browser, "#w=none");
  await page.getByRole("heading", { name: "Schedlab" }).waitFor();
  await page.getByRole("alert").filter({ hasText: "nothing runs" }).waitFor();
  assert.equal(await page.locator("#boot-notice").count(), 0);
  await check();
});

test("the site is served from a sub-path, so the page uses no address from the root", () => {
  assert.notEqual(new URL(SITE).pathname, "/");
});

test("the wasm module is fetched once: the worker gets the page's compiled module", async () => {
  const { page, requests, check } = await openPage(browser, "#w=none");
  await page.getByRole("alert").filter({ hasText: "nothing runs" }).waitFor();
  assert.equal(requests.filter((url) => url.endsWith(".wasm")).length, 1);
  await check();
});

test("the record of faults sees a console message, a page error, a missing file and a foreign request", async () => {
  const { page, faults, context } = await openPage(browser);
  await page.evaluate(async () => {
    console.warn("a warning");
    setTimeout(() => {
      throw new Error("an error");
    });
    await fetch("no-such-file").catch(() => {});
    await fetch("http://127.0.0.1:1/elsewhere").catch(() => {});
  });
  await page.waitForTimeout(100);
  await context.close();
  for (const fault of ["a warning", "an error", "no-such-file", "Content Security Policy"]) {
    assert.ok(faults.some((line) => line.includes(fault)), `${fault} is missing in:\n${faults.join("\n")}`);
  }
});

test("a worker that cannot start is told to the page", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  let fetches = 0;
  await context.route("**/schedlab-web*.js", (route) => {
    fetches += 1;
    return fetches === 1 ? route.continue() : route.abort();
  });
  await page.goto(SITE);
  await page.getByRole("alert").filter({ hasText: /Failed to fetch/ }).first().waitFor();
  await context.close();
});

test("without JavaScript a sentence says what is missing", async () => {
  const { page, context } = await openPage(browser, "", { javaScriptEnabled: false });
  assert.match(await page.locator("body").innerText(), /needs JavaScript and WebAssembly/);
  await context.close();
});

test("without WebAssembly a sentence says what is missing", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    delete globalThis.WebAssembly;
  });
  await page.goto(SITE);
  await page.locator("#boot-notice").filter({ hasText: "needs WebAssembly" }).waitFor();
  await context.close();
});
