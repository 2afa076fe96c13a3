// The timeline under the pointer and the keys, and the question why.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { SMALL, addressed, drag, fragment, moved, nanoseconds, settled, stretch, timeline } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A page with one run that is over, and its timeline: minimap on top, then the axis, then four lanes. */
async function open(link = SMALL, options = {}) {
  const opened = await openPage(browser, `#${link}`, options);
  await settled(opened.page);
  return { ...opened, ...(await timeline(opened.page)) };
}

const length = (it) => it.to - it.from;
const close = (a, b, share) => assert.ok(Math.abs(a - b) <= share * Math.max(a, b), `${a} is not about ${b}`);

test("zoom and pan with the mouse: wheel, lanes, axis, minimap, buttons", async () => {
  const { page, box, check } = await open();
  const at = (x, y) => ({ x: box.x + box.width * x, y: box.y + y });
  const lanes = box.height - 20;
  const minimap = 7;

  // Dragging along the axis picks a stretch.
  const axis = await moved(page, () => drag(page, at(0.4, 27), at(0.6, 27)));
  assert.ok(length(axis) > 0);

  // Ctrl and the wheel zoom around the pointer.
  await page.mouse.move(at(0.5, lanes).x, at(0.5, lanes).y);
  await page.keyboard.down("Control");
  const closer = await moved(page, () => page.mouse.wheel(0, -300));
  await page.keyboard.up("Control");
  assert.ok(length(closer) < 0.7 * length(axis), "the wheel zooms in");
  assert.ok(closer.from > axis.from && closer.to < axis.to, "around the pointer");

  // The lanes follow the hand: to the left means later.
  const later = await moved(page, () => drag(page, at(0.6, lanes), at(0.4, lanes)));
  close(length(later), length(closer), 0.01);
  assert.ok(later.from > closer.from, "dragged to the left, the window goes on");

  // In the minimap: elsewhere means there.
  const there = await moved(page, () => page.mouse.click(at(0.95, minimap).x, at(0.95, minimap).y));
  close(length(there), length(closer), 0.01);
  assert.ok(there.from > later.to, "the minimap leads far away");

  // The window's end is a handle.
  const end = await moved(page, () => drag(page, at(0.999, minimap), at(0.9, minimap)));
  assert.ok(end.to < there.to, "the handle takes the end along");

  const wider = await moved(page, () => page.getByRole("button", { name: "zoom out" }).click());
  close(length(wider), 2 * length(end), 0.01);
  const narrower = await moved(page, () => page.getByRole("button", { name: "zoom in" }).click());
  close(length(narrower), length(end), 0.01);
  assert.equal(await moved(page, () => page.getByRole("button", { name: "show all" }).click()), null);
  await check();
});

test("a wheel over a timeline that nobody works with scrolls the page", async () => {
  const { page, box, check } = await open(SMALL, { viewport: { width: 1440, height: 500 } });
  const stage = page.locator(".stage");
  await stage.evaluate((e) => (e.scrollTop = 100));
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.wheel(0, -100);
  await page.waitForFunction(() => document.querySelector(".stage").scrollTop === 0);
  assert.equal(await stretch(page), null);
  await check();
});

test("two fingers zoom", async () => {
  const { page, context, box, check } = await open(SMALL, { hasTouch: true });
  const devtools = await context.newCDPSession(page);
  const touch = (kind, ...xs) =>
    devtools.send("Input.dispatchTouchEvent", {
      type: kind,
      touchPoints: xs.map((x, id) => ({ id, x: box.x + box.width * x, y: box.y + box.height - 20 })),
    });
  const pinched = await moved(page, async () => {
    await touch("touchStart", 0.45, 0.55);
    await touch("touchMove", 0.4, 0.6);
    await touch("touchMove", 0.3, 0.7);
    await touch("touchEnd");
  });
  assert.ok(length(pinched) > 0);
  await check();
});

test("zoom, pan and steps with the keys", async () => {
  const { page, canvas, check } = await open();
  const press = (key) => () => page.keyboard.press(key);
  await canvas.focus();
  const half = await moved(page, press("+"));
  const quarter = await moved(page, press("+"));
  close(length(quarter), length(half) / 2, 0.01);
  const right = await moved(page, press("Shift+ArrowRight"));
  close(right.from - quarter.from, length(quarter) / 4, 0.02);
  const page_ = await moved(page, press("PageUp"));
  assert.ok(page_.from < right.from);
  assert.equal((await moved(page, press("Home"))).from, 0);
  assert.ok((await moved(page, press("End"))).to > right.to);
  const wide = await moved(page, press("-"));
  close(length(wide), length(half), 0.01);
  assert.equal(await moved(page, press("0")), null);

  // Steps from event to event, forward and back, and from switch to switch of one CPU.
  await page.keyboard.press("ArrowRight");
  await addressed(page, "at=A:");
  const place = async () => /at=A:(\d+):([^&]*)/.exec(await fragment(page));
  const [, cpu, at] = await place();
  const stepped = async (key) => {
    const before = await fragment(page);
    await page.keyboard.press(key);
    await page.waitForFunction((old) => location.hash.slice(1) !== old, before);
    const [, onCpu, when] = await place();
    return { cpu: onCpu, ns: nanoseconds(when) };
  };
  const next = await stepped("ArrowRight");
  assert.ok(next.ns >= nanoseconds(at));
  const back = await stepped("ArrowLeft");
  assert.deepEqual(back, { cpu, ns: nanoseconds(at) });
  const same = await stepped("]");
  assert.equal(same.cpu, cpu);
  assert.ok(same.ns >= back.ns);
  const later = await stepped("]");
  assert.ok(later.cpu === cpu && later.ns > same.ns);
  assert.deepEqual(await stepped("["), same);
  const other = await stepped(cpu === "0" ? "ArrowDown" : "ArrowUp");
  assert.notEqual(other.cpu, cpu);
  await check();
});

test("a click on a slice asks why: every candidate with what was said of it, and the rule with its source", async () => {
  const { page, box, check } = await open();
  assert.doesNotMatch(await fragment(page), /at=|ask=/, "nobody has asked yet");
  await page.mouse.click(box.x + box.width * 0.62, box.y + box.height - 12);
  await addressed(page, "ask=pick");
  await page.locator("#why .why-lead").first().waitFor();
  assert.match(await page.locator("#why").innerText(), /A, CPU \d+/);
  // From switch to switch until there was a choice.
  const rows = page.locator("#why table.data tbody tr");
  for (let steps = 0; (await rows.count()) < 2; steps += 1) {
    assert.ok(steps < 200, "no decision among candidates in 200 switches");
    const before = await page.locator("#why").innerText();
    await page.keyboard.press("]");
    await page.waitForFunction((old) => {
      const why = document.getElementById("why").innerText;
      return why !== old && !why.includes("Asking");
    }, before);
  }
  const heads = await page.locator("#why table.data thead th").allInnerTexts();
  assert.ok(heads.includes("candidate") && heads.includes("verdict"), heads.join());
  assert.equal(await page.locator("#why tr.chosen").count(), 1);
  for (const row of await rows.all()) {
    const cells = await row.locator("th, td").allInnerTexts();
    assert.ok(cells[0] && cells.at(-1), `a candidate without a name or a verdict: ${cells}`);
  }
  assert.match(await page.locator("#why").innerText(), /[0-9a-f]{8}|2\.6\.3[12]/);
  await check();
});

test("a click into idle time shows that moment: since when, why, and who comes next", async () => {
  const nap = "m=q6600&w=(task+hog+cpus+0+run+forever;task+nap+cpus+3+forever(timer+10ms;run+1ms))&dur=40ms";
  const { page, box, check } = await open(nap);
  const click = async (x, cpu) => {
    await page.mouse.click(box.x + box.width * x, box.y + box.height - 12 - (3 - cpu) * ((box.height - 36) / 4));
    await addressed(page, `at=A:${cpu}:`);
    await page.locator("#why").filter({ hasText: `CPU ${cpu} has been idle` }).waitFor();
    return [await page.locator("#why").innerText(), /at=A:\d+:([^&]*)/.exec(await fragment(page))[1]];
  };
  const [told, when] = await click(0.65, 3);
  const ns = nanoseconds(when);
  assert.ok(ns > 22e6 && ns < 29e6, `not where it was clicked: ${when}`);
  const since = /idle since (2[01](?:\.\d+)?)\sms/.exec(told);
  assert.ok(since, told);
  assert.match(told, /nap went to sleep\./);
  assert.match(told, /nap runs here next, at 30(\.\d+)?\sms/);
  assert.match(told, /No task that may run here waits on another CPU\./);
  const [ever] = await click(0.4, 2);
  assert.match(ever, /CPU 2 has been idle from the start\./);
  await check();
});

test("a wakeup that did not preempt can be asked about, by a link", async () => {
  const { page, check } = await open();
  // The first decision that another kernel takes otherwise is one about a wakeup; its link asks the same again.
  const { page: other, context } = await openPage(browser, `#${SMALL}&vs&f=NO_WAKEUP_PREEMPT`);
  await settled(other);
  await other.getByRole("button", { name: "Where do A and B part?" }).click();
  await other.locator("#why .parting li").first().waitFor();
  await addressed(other, "ask=");
  const link = await fragment(other);
  const told = await other.locator("#why .why-lead").allInnerTexts();
  await context.close();
  await page.goto(page.url().replace(/#.*/, ""));
  await settled(page);
  await page.evaluate((to) => (location.hash = to), link);
  await settled(page);
  await page.locator("#why .why-lead").filter({ hasText: told[0] }).waitFor();
  assert.deepEqual(await page.locator("#why .why-lead").allInnerTexts(), told);
  await check();
});

test("the stretch of time belongs to the link", async () => {
  const { page, check } = await open(`${SMALL}&view&z=1ms..2ms&by=kind`);
  assert.deepEqual(await stretch(page), { from: 1e6, to: 2e6 });
  assert.equal(await page.getByLabel("colour by").evaluate((e) => e.selectedOptions[0].textContent), "kind");
  await check();
});
