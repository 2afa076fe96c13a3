// What the page says before one believes its numbers: that a run is too short for what it is about, and that a switch makes
// no difference to it, each with a way on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { addressed, flip, settled, tiles } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** By how much B's throughput is more than A's, %. */
async function gain(page) {
  const [throughput] = await tiles(page);
  const [, sign, number] = /B ([+−])([\d.]+)/u.exec(throughput);
  return Number(number) * (sign === "+" ? 1 : -1);
}

test("the first page says that it is short and leads to the regression, and from there to a commit that makes it", async () => {
  const { page, check } = await openPage(browser);
  await settled(page);
  const remark = page.locator(".remark");
  assert.match(await remark.innerText(), /short/);
  assert.ok((await gain(page)) > 0, "B is faster in so short a run");
  await remark.getByRole("button").click();
  await addressed(page, "loops=3000");
  await settled(page);
  assert.ok((await gain(page)) < -10, "and slower in a long one");
  await remark.getByRole("button", { name: /de69a80b/ }).click();
  await addressed(page, "d=-D13");
  await settled(page);
  assert.ok((await gain(page)) > -5, "but for one commit");
  await page.waitForFunction(() => document.querySelectorAll(".remark").length === 0);
  await check();
});

test("a switch that makes no difference says so and leads to where it makes one", async () => {
  const { page, check } = await openPage(browser, "#k=2.6.32-rc1&vs&d=-D13");
  await settled(page);
  const remark = page.locator(".remark");
  assert.match(await remark.innerText(), /same decisions/);
  await remark.getByRole("button", { name: /smallest experiment/ }).click();
  await addressed(page, "m=classroom-1");
  await settled(page);
  assert.equal(await remark.count(), 0);
  await check();
});

test("a change that is not felt is told as such, and no more after the next one that is", async () => {
  const { page, check } = await openPage(browser, "#k=2.6.32-rc1");
  await settled(page);
  const remark = page.locator(".remark");
  assert.equal(await remark.count(), 0);
  await flip(page, "commit-13");
  await remark.filter({ hasText: "no difference to this run" }).waitFor();
  await flip(page, "commit-12");
  await addressed(page, "-D12");
  await settled(page);
  assert.equal(await remark.count(), 0);
  await check();
});
