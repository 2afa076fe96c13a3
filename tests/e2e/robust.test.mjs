// Bad input: nothing is lost, each problem is named, and the page goes on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { SITE, launch, openPage } from "./browser.mjs";
import { SMALL, addressed, follow, fragment, hashes, settled, type } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Lines `key TAB link`: the part that has to be named, `-` where it has no name. */
const LIST = readFileSync(new URL("../../crates/engine/tests/data/bad-fragments.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line && !line.startsWith("#"))
  .map((line) => line.split("\t"));

/** What is wrong in B, and in how it is looked at. */
const MORE = [
  ["k", "k=2.6.31&vs&k=2.6.99"],
  ["f", "k=2.6.31&vs&f=NO_SUCH"],
  ["w", "vs&w=none"],
  ["view", "view&z=2ms..1ms"],
  ["view", "view&at=C:0:1ms"],
  ["view", "k=2.6.31&view&nonsense"],
  ["view", "view&ask=what"],
];

/** In the page: opens `link`, waits until a note names `key`, and tells what is wrong with the page then, if anything. */
async function visit([key, link]) {
  const notes = () => [...document.querySelectorAll(".noted li > span")].map((note) => note.textContent);
  const named = () => notes().some((note) => (key === "-" ? note.length > 8 : new RegExp(`(^|: )${key}: `).test(note)));
  const drawn = new Promise((resolve) => addEventListener("popstate", () => setTimeout(resolve), { once: true }));
  location.hash = link;
  await drawn;
  const patience = performance.now() + 20_000;
  while (!named()) {
    if (performance.now() > patience) return [`no note names ${key}, only these are there: ${notes().join(" | ")}`];
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const has = (selector) => document.querySelector(selector)?.getBoundingClientRect().height > 0;
  const missing = [".bar", ".setup", ".tiles", "#timeline", ".noted"].filter((selector) => !has(selector));
  const machine = document.querySelector(".setup select")?.value;
  return [...missing.map((selector) => `${selector} is not there`), ...(machine ? [] : ["no machine is chosen"])];
}

test(`${LIST.length + MORE.length} bad links one after the other in one page: each leaves a setup and names its fault`, async () => {
  assert.ok(LIST.length >= 200);
  const { page, check } = await openPage(browser, `#${SMALL}`);
  const [good] = await hashes(page);
  for (const [i, entry] of [...LIST, ...MORE].entries()) {
    assert.deepEqual(await page.evaluate(visit, entry), [], entry[1]);
    // Most links are gone before their run begins; some stay until it is over, or refused.
    if (i % 20 === 0) await settled(page);
  }
  await follow(page, SMALL);
  assert.deepEqual(await hashes(page), [good], "a good link still works");
  assert.equal(await page.getByRole("alert").count(), 0);
  await check();
});

test("a bad link in the address of a fresh page: the rest of it counts", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&k=2.6.31&t=wakeup_granulrity:8ms&w=hackbench(groups=2,loops=5)");
  await page.getByRole("alert").filter({ hasText: "wakeup_granularity" }).waitFor();
  assert.equal(await page.getByLabel("Machine", { exact: true }).inputValue(), "q6600");
  await settled(page);
  await page.getByRole("button", { name: "Use wakeup_granularity" }).click();
  await page.waitForFunction(() => location.hash.includes("t=wakeup_granularity:8ms"));
  assert.equal(await page.getByRole("alert").count(), 0);
  await check();
});

test("a typed link with faults stays, runs what is valid of it, and is mended click by click", async () => {
  const typed = "m=q6600&w=hackbench(groups=2,lops=5)+hogs(count=3)&dur=5ms";
  const { page, check } = await openPage(browser, `#${typed}`);
  const field = page.getByLabel("The link as typed");
  await field.waitFor();
  await settled(page);
  assert.equal(await fragment(page), typed, "the address is left as it was");
  assert.equal(await field.inputValue(), typed);
  assert.deepEqual(await page.locator(".load select.pick[aria-label]").evaluateAll((all) => all.map((one) => one.value)), ["hackbench", "hogs"]);
  const marks = page.locator(".noted mark");
  assert.deepEqual(await marks.allInnerTexts(), ["lops", "+hogs"]);
  await page.getByTitle("Show in the link").first().click();
  assert.equal(await field.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), "lops");
  const [before] = await hashes(page);
  // A change elsewhere leaves the faults where they are, and so does a reload.
  await type(page, "run-seed", "7");
  await addressed(page, "seed=7");
  assert.equal(await fragment(page), `${typed}&seed=7`);
  await page.reload();
  await field.waitFor();
  assert.equal(await fragment(page), `${typed}&seed=7`);
  await page.goBack();
  await page.getByRole("button", { name: "Use loops" }).click();
  await addressed(page, "loops=5");
  await page.getByRole("button", { name: "Use ;hogs" }).click();
  await addressed(page, ";hogs(count=3)");
  await field.waitFor({ state: "detached" });
  assert.equal(await fragment(page), "v=1&m=q6600&w=hackbench(groups=2,loops=5);hogs(count=3)&dur=5ms");
  await page.goBack();
  await page.goBack();
  await field.waitFor();
  assert.equal(await fragment(page), typed);
  assert.deepEqual(await hashes(page), [before]);
  // Typed anew, and then only what runs.
  await field.fill("m=q6600&w=hogs(cuont=2)&dur=5ms");
  await field.press("Enter");
  await addressed(page, "cuont");
  await page.getByRole("button", { name: "Keep only what runs" }).click();
  await addressed(page, "cuont", false);
  assert.equal(await fragment(page), "v=1&m=q6600&w=hogs&dur=5ms");
  assert.equal(await page.getByRole("alert").count(), 0);
  await check();
});

test("what is too large is refused with words before it begins", async () => {
  const { page, check } = await openPage(browser, "#w=hackbench(groups=512,fan=256)");
  await page.getByRole("alert").filter({ hasText: /A cannot run: .*tasks/ }).waitFor();
  assert.equal(await page.locator("output.status").innerText(), "stopped");
  await check();
});

test("a run stops at its limits, with words", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&w=hackbench(groups=10)&events=1000");
  await page.locator("output.status").filter({ hasText: "stopped at the event limit" }).waitFor();
  await follow(page, "m=q6600&w=hackbench(groups=10)&dur=1ms");
  await page.locator("output.status").filter({ hasText: "stopped at the time asked for" }).waitFor();
  await check();
});

test("a run of minutes can be halted, goes on, and can be left at once", async () => {
  const { page, check } = await openPage(browser, "#w=hackbench(groups=100,loops=10000)");
  const simulated = () => page.locator("output.status").filter({ hasText: /simulating: .*of simulated time/ }).waitFor();
  await simulated();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("output.status").filter({ hasText: "paused at" }).waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await simulated();
  await follow(page, SMALL);
  assert.equal((await hashes(page)).length, 1);
  await check();
});

test("a worker that breaks down says so with a link, and the page stays usable", async () => {
  const { page, context } = await openPage(browser, `#${SMALL}`);
  const before = await hashes(page);
  await page.workers()[0].evaluate(() => {
    setTimeout(() => {
      throw new Error("out of luck");
    });
  });
  const alert = page.getByRole("alert").filter({ hasText: "out of luck" });
  await alert.waitFor();
  assert.ok((await alert.innerText()).includes(SITE), "no link to report it with");
  await page.getByRole("button", { name: "Try again" }).click();
  await alert.waitFor({ state: "detached" });
  assert.deepEqual(await hashes(page), before);
  await context.close();
});

test("what is being typed outlives another link, and a view that was not understood stays in the address", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&view&z=1ms..x&by=group`);
  await settled(page);
  await page.getByRole("alert").filter({ hasText: "z=1ms..x" }).waitFor();
  // The address follows a moment later where it follows.
  await page.waitForTimeout(400);
  assert.match(await fragment(page), /&view&z=1ms\.\.x&by=group$/);
  const field = page.locator("#load-0-groups");
  await field.fill("7");
  await follow(page, SMALL.replace("groups=3", "groups=4"));
  assert.equal(await field.inputValue(), "7");
  await field.press("Enter");
  await addressed(page, "groups=7");
  await check();
});
