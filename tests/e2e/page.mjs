// What a person does with the page and reads from it, in one place: controls by their names, states and not times to wait for.

import { readFileSync } from "node:fs";
import { axePath } from "./browser.mjs";

const AXE = readFileSync(axePath, "utf8");

/** An experiment that is over in some milliseconds and in which every knob shows. */
export const SMALL = "m=q6600&k=2.6.32-rc1&w=hackbench(groups=3,loops=20)";

/** Waits until every run of the setup that is shown has come to its end: that is announced. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector("[role=status]")?.textContent !== "");
}

/** The hashes of the runs, A's first, as the sheet shows them to whoever wants to share. */
export async function hashes(page) {
  await settled(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const found = await page.locator("dialog .hashes code").allInnerTexts();
  await closeSheet(page);
  return found;
}

/** Closes the sheet that is open. */
export async function closeSheet(page) {
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
}

/** The text behind the `#` of the address. */
export function fragment(page) {
  return page.evaluate(() => location.hash.replace(/^#/, ""));
}

/** Waits until the address has, or with `has` false no longer has, `part`. */
export async function addressed(page, part, has = true) {
  await page.waitForFunction(([p, h]) => location.hash.includes(p) === h, [part, has]);
}

/** Opens another link in the same page, as somebody does who edits the address; back when the page has drawn it. */
export async function follow(page, link) {
  await page.evaluate(
    (to) =>
      new Promise((resolve) => {
        addEventListener("popstate", () => setTimeout(resolve), { once: true });
        location.hash = to;
      }),
    link,
  );
}

/** Types `text` into the field with the id `id`, and Enter. */
export async function type(page, id, text) {
  await page.locator(`#${id}`).fill(text);
  await page.locator(`#${id}`).press("Enter");
}

/** Switches the switch with the id `id`. */
export async function flip(page, id) {
  // The box itself lies under its picture.
  await page.locator(`.switch:has(#${id})`).click();
}

/** The stretch of time that the address names, ns; nothing where all of it is shown. */
export async function stretch(page) {
  const found = /[&#]z=([^&]*)\.\.([^&]*)/.exec("#" + (await fragment(page)));
  return found && { from: nanoseconds(found[1]), to: nanoseconds(found[2]) };
}

/** Does something that moves or zooms the timeline; gives the stretch of time that the address names then. */
export async function moved(page, act) {
  const part = () => /[&#]z=[^&]*/.exec(location.hash)?.[0] ?? "";
  const before = await page.evaluate(part);
  await act();
  await page.waitForFunction(
    (old) => (/[&#]z=[^&]*/.exec(location.hash)?.[0] ?? "") !== old,
    before,
  );
  return stretch(page);
}

/** `12.5ms` as ns. */
export function nanoseconds(text) {
  const [, number, unit] = /^([\d.]+)(ns|us|ms|s)$/.exec(text);
  return Math.round(Number(number) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit]);
}

/** The timeline's canvas, and where it is. */
export async function timeline(page) {
  const canvas = page.locator("canvas.timeline-hand");
  await canvas.scrollIntoViewIfNeeded();
  return { canvas, box: await canvas.boundingBox() };
}

/** Drags the pointer over the page. */
export async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
}

/** The text of each tile. */
export function tiles(page) {
  return page.locator(".tile").allInnerTexts();
}

/** What a screen reader's user meets that they must not. */
export async function axe(page) {
  // Not by a script element, which the page's policy refuses.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.replace(/\s+/g, " ")}`));
}
