// The page without a mouse: everything is reached, is seen when it is, and the keys of the help sheet do what it says.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { SMALL, addressed, hashes, settled } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** In the page: who has the focus, and whether one can tell. */
function focused() {
  const element = document.activeElement;
  if (element === document.body) return null;
  const rect = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const beside = element.nextElementSibling && getComputedStyle(element.nextElementSibling);
  const outlined = (s) => s && s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1.5;
  const middle = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
  const all = [...document.querySelectorAll("*")];
  return {
    place: all.indexOf(element),
    name: `${element.localName} ${element.id || element.getAttribute("aria-label") || element.textContent.trim().slice(0, 40)}`,
    outlined: outlined(style) || (element.matches(".switch input") && outlined(beside)),
    covered: !(middle && (middle === element || element.contains(middle) || middle.parentElement.contains(element))),
  };
}

test("Tab goes through everything in the order of the page, and one sees where it is", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  await settled(page);
  // The last thing that comes by itself: why the decision that is shown was taken.
  await page.locator("#why .why-lead").first().waitFor();
  const expected = await page.evaluate(() => {
    const all = [...document.querySelectorAll("*")];
    const takesFocus = (e) => e.matches("button, input, select, summary, textarea, a[href], [tabindex='0']") && !e.disabled && e.tabIndex >= 0;
    return all.filter((e) => takesFocus(e) && e.checkVisibility({ visibilityProperty: true })).map((e) => all.indexOf(e));
  });
  const walked = [];
  const faults = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(focused);
    if (!now || walked.includes(now.place)) break;
    walked.push(now.place);
    if (!now.outlined) faults.push(`nothing shows that ${now.name} has the focus`);
    if (now.covered) faults.push(`${now.name} has the focus and is covered`);
  }
  assert.deepEqual(faults, []);
  assert.deepEqual(walked, expected, "the order of the page");
  await page.keyboard.press("Shift+Tab");
  await check();
});

test("the first Tabs lead past the setup, and a list of switches is one stop", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  await settled(page);
  const active = () => page.evaluate(() => document.activeElement.id);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the timeline");
  await page.keyboard.press("Enter");
  assert.equal(await active(), "timeline-hand");

  const switches = page.locator(".block li .switch input:not(:disabled)");
  await switches.first().focus();
  const [first, second] = [await active(), await switches.nth(1).getAttribute("id")];
  await page.keyboard.press("ArrowDown");
  assert.equal(await active(), second);
  await page.keyboard.press("ArrowUp");
  assert.equal(await active(), first);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate((id) => document.getElementById(id).closest("ul").contains(document.activeElement), first), false);
  await check();
});

test("the keys of the help sheet", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  const [hash] = await hashes(page);
  await page.locator("body").click({ position: { x: 700, y: 8 } });
  const press = (key) => page.keyboard.press(key);

  await press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  await press("c");
  assert.equal(await page.getByRole("button", { name: "A alone" }).getAttribute("aria-pressed"), "true", "a sheet keeps the keys");
  await press("Escape");
  await help.waitFor({ state: "detached" });

  await press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "setup-search");
  await page.keyboard.type("buddy");
  await page.locator("#feature-NEXT_BUDDY").waitFor();
  await page.locator("#feature-HRTICK").waitFor({ state: "detached" });
  await press("Tab");
  await press("Shift+Tab");
  await press("Escape");
  await page.locator("#feature-HRTICK").waitFor();

  await press("c");
  await page.getByRole("button", { name: "compare A and B", pressed: true }).waitFor();
  await press("c");
  await page.getByRole("button", { name: "A alone", pressed: true }).waitFor();

  // A switch by the space bar, undone and done again.
  await page.locator("#feature-WAKEUP_PREEMPT").focus();
  await press(" ");
  await addressed(page, "f=NO_WAKEUP_PREEMPT");
  const [other] = await hashes(page);
  assert.notEqual(other, hash);
  await press("u");
  await addressed(page, "f=", false);
  assert.deepEqual(await hashes(page), [hash]);
  await press("U");
  await addressed(page, "f=NO_WAKEUP_PREEMPT");
  assert.deepEqual(await hashes(page), [other]);

  // The cursor, and why.
  await page.evaluate(() => document.activeElement.blur());
  await press("ArrowRight");
  await addressed(page, "at=A:");
  await press("w");
  await page.locator("#why .why-lead").first().waitFor();
  await press("+");
  await addressed(page, "z=");
  await press("0");
  await addressed(page, "z=", false);
  await check();
});

test("space halts a long run and lets it go on", async () => {
  const { page, check } = await openPage(browser, "#w=hackbench(groups=100,loops=10000)");
  const status = page.locator("output.status");
  await status.filter({ hasText: "simulating" }).waitFor();
  await page.keyboard.press(" ");
  await status.filter({ hasText: "paused at" }).waitFor();
  const halted = await status.innerText();
  await page.keyboard.press(" ");
  await status.filter({ hasText: "simulating" }).waitFor();
  await page.waitForFunction((old) => !document.querySelector("output.status").innerText.includes(old), halted.replace(/^.* at /, ""));
  await check();
});

test("a sheet keeps the focus, and gives it back", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  await settled(page);
  const share = page.getByRole("button", { name: "Share", exact: true });
  await share.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null));
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.ok(await share.evaluate((e) => e === document.activeElement), "the focus is back on the button");
  await check();
});
