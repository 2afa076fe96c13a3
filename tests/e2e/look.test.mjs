// How the page looks where people look at it: nothing overlaps, is cut off, too small to hit or beyond the edge, and axe
// finds nothing. A picture of each view is left in target/pictures for those who want to see for themselves.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { complaints } from "./look.mjs";
import { addressed, axe, closeSheet, follow, settled, type } from "./page.mjs";

const PICTURES = fileURLToPath(new URL("../../target/pictures/", import.meta.url));

let browser;
before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await launch();
});
after(() => browser?.close());

/**
 * Sizes of windows; 200 % of zoom is half as many CSS pixels, each four times as large. What axe looks at (names, roles,
 * contrast) differs between wide and narrow and between light and dark, and nowhere else.
 */
const SIZES = [
  { name: "desktop", axed: true, viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { name: "desktop-dark", axed: true, viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  { name: "desktop-zoomed", viewport: { width: 720, height: 450 }, deviceScaleFactor: 2, colorScheme: "light" },
  { name: "tablet", viewport: { width: 1024, height: 768 }, colorScheme: "light" },
  { name: "phone", axed: true, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" },
  { name: "small-phone", viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, colorScheme: "light" },
];

/** What is looked at, one after the other in one page. */
const VIEWS = [
  ["start", async () => {}],
  [
    "why",
    async (page) => {
      await page.getByRole("button", { name: "Where do A and B part?" }).click();
      await page.locator("#why .why-lead").first().waitFor();
      await addressed(page, "z=");
    },
  ],
  [
    "data",
    async (page) => {
      await page.locator("#latency").getByRole("button", { name: "data" }).click();
      await page.locator("#latency-data").waitFor();
    },
  ],
  ["share", (page) => page.getByRole("button", { name: "Share", exact: true }).click()],
  [
    "keys",
    async (page) => {
      await closeSheet(page);
      await page.getByRole("button", { name: "Keys and help" }).click();
    },
  ],
  [
    "changes",
    async (page) => {
      await closeSheet(page);
      await follow(page, "k=2.6.32-rc1&d=-D12,-D13,D20&f=NEXT_BUDDY&t=wakeup_granularity:8ms&w=hackbench(groups=2,loops=10);hogs(count=2)&vs&k=2.6.31&m=nowhere&f=NEXT_BUDY");
      await settled(page);
      await setup(page);
      await page.locator(".tally").click();
    },
  ],
  [
    "setup",
    async (page) => {
      await closeSheet(page);
      await type(page, "knob-wakeup_granularity", "3 apples");
      await page.locator("#commit-13-more ~ *, .item-toggle[aria-controls=commit-13-more]").first().click();
      await page.locator(".fold:not([open]) > summary").first().click();
    },
  ],
];

/** Opens the setup where it is a sheet. */
async function setup(page) {
  const button = page.getByRole("button", { name: "Setup", exact: true });
  if (await button.isVisible()) {
    await button.click();
    await page.waitForFunction(() => getComputedStyle(document.querySelector(".setup")).translate === "0px");
  }
}

for (const { name, axed, ...size } of SIZES) {
  test(`${name}: ${size.viewport.width} × ${size.viewport.height}, ${size.colorScheme}`, async () => {
    const { page, check } = await openPage(browser, "", { ...size, reducedMotion: "reduce" });
    await settled(page);
    const faults = [];
    for (const [view, act] of VIEWS) {
      await act(page);
      await page.screenshot({ path: `${PICTURES}${name}-${view}.png` });
      const found = [...(await page.evaluate(complaints)), ...(axed ? await axe(page) : [])];
      faults.push(...found.map((fault) => `${view}: ${fault}`));
    }
    assert.equal(faults.join("\n"), "");
    await check();
  });
}

test("the eye sees what is wrong", async () => {
  const { page, context } = await openPage(browser, "#w=none");
  await page.getByRole("alert").first().waitFor();
  await page.evaluate(() => {
    const add = (css, html) => {
      const box = document.createElement("div");
      for (const [key, value] of Object.entries(css)) box.style[key] = value;
      box.innerHTML = html;
      document.querySelector(".stage").prepend(box);
    };
    add({ width: "60px", overflow: "hidden", whiteSpace: "nowrap" }, "<p>a text that is far too long for its box</p>");
    add({ position: "relative", height: "0" }, "<p>lies on what follows</p>");
    add({}, "<button>.</button>");
    const button = document.querySelector(".stage button");
    for (const side of ["width", "height"]) button.style[side] = "12px";
    add({ position: "absolute", left: `${innerWidth - 20}px`, whiteSpace: "nowrap" }, "<p>far out, where nobody sees it</p>");
    document.body.append(document.querySelector(".stage > div"));
  });
  const faults = (await page.evaluate(complaints)).join("\n");
  for (const kind of [/cut off/, /on each other/, /too small/, /beyond/]) assert.match(faults, kind);
  await context.close();
});
