// The pictures of one moment: they agree on it, say what has just happened, and are seen whole.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { SMALL, addressed, fragment, settled } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** What the run queue, the machine and the explanation say of their moment, once they have changed from `old`. */
async function moment(page, old = "") {
  const handle = await page.waitForFunction((before) => {
    const words = (selector) => document.querySelector(selector)?.textContent ?? "";
    const now = {
      queue: words("#queue .picture-title").replace(/^.* at /, ""),
      machine: words("#machine .picture-title").replace(/^.* at /, ""),
      why: words("#why .card-head .note"),
      when: [words("#queue .picture-beside"), words("#machine .picture-beside")].map((unit) => unit.replace(/ · .*/, "")),
    };
    return now.queue && now.why !== before && words("#why .why-lead") ? now : null;
  }, old);
  return handle.jsonValue();
}

/** Asserts that the three of them show one moment. */
function agree({ queue, machine, why, when }) {
  assert.equal(queue, machine);
  assert.equal(when[0], when[1]);
  assert.match(when[0], /after the (pick|wakeup|migration)$/);
  // After the pick of nobody a CPU is idle, and that is told.
  assert.match(why, /CPU \d+: (the (pick|wakeup|migration|exit)|idle) at /);
  if (when[0].startsWith("just")) assert.ok(why.endsWith(queue), `${why} at ${queue}`);
}

test("run queue, machine and explanation show one moment, from event to event", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  await settled(page);
  let shown = await moment(page);
  agree(shown);
  for (let steps = 0; steps < 6; steps += 1) {
    await page.keyboard.press("ArrowRight");
    shown = await moment(page, shown.why);
    agree(shown);
  }
  await check();
});

test("the next event of a paused run moves the cursor, the address and the status", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&view&play=100us`);
  const status = page.locator("output.status");
  await status.filter({ hasText: "simulating" }).waitFor();
  await page.keyboard.press(" ");
  await status.filter({ hasText: "paused at" }).waitFor();
  for (let steps = 0; steps < 3; steps += 1) {
    const [before, said] = [await fragment(page), await status.innerText()];
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((old) => location.hash.slice(1) !== old, before);
    await addressed(page, "at=A:");
    await page.waitForFunction((old) => document.querySelector("output.status").innerText !== old, said);
  }
  agree(await moment(page));
  await check();
});

test("playback stays at the foot of the column when the search leaves little", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  await settled(page);
  const foot = async () => {
    const { y, height } = await page.locator(".playback").boundingBox();
    return Math.round(y + height);
  };
  const before = await foot();
  await page.locator("#setup-search").fill("no such thing");
  assert.equal(await foot(), before);
  await check();
});

test("a run that is refused leaves no empty pictures", async () => {
  const { page, check } = await openPage(browser, "#w=hackbench(groups=512,fan=256)");
  await page.getByRole("alert").filter({ hasText: /A cannot run/ }).waitFor();
  const stage = page.locator("main.stage");
  assert.match(await stage.innerText(), /^Nothing was simulated/);
  assert.equal(await stage.locator("figure").count(), 0);
  await check();
});

test("where nothing is simulated the head of the page is as high as ever", async () => {
  for (const viewport of [{ width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    const { page, check } = await openPage(browser, "#m=q6600&w=hogs(cpu=9)", { viewport });
    await page.getByRole("alert").first().waitFor();
    const high = () => page.locator("header.bar").evaluate((bar) => bar.offsetHeight);
    const refused = await high();
    await page.evaluate(() => { location.hash = "m=q6600&w=hogs&dur=5ms"; });
    await page.locator(".tile").first().waitFor();
    assert.ok(refused <= (await high()) + 20, `${refused} px`);
    await check();
  }
});

test("on a telephone the head that stays is low, and a table that goes on to the side is shaded there", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await settled(page);
  const status = page.locator("output.status");
  assert.ok(await status.evaluate((s) => s.scrollWidth <= s.clientWidth), "the status is seen whole");
  await page.locator("#tasks").scrollIntoViewIfNeeded();
  const bottom = await page.locator("header.bar").evaluate((bar) => bar.getBoundingClientRect().bottom);
  assert.ok(bottom < 60, `${bottom} px are covered`);
  const scroll = page.locator("#tasks .table-scroll");
  assert.ok(await scroll.evaluate((box) => box.scrollWidth > box.clientWidth));
  assert.match(await scroll.evaluate((box) => getComputedStyle(box).backgroundAttachment), /local.*scroll/);
  await check();
});

test("on a telephone no column of the candidates is cut", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await settled(page);
  await page.locator("#why table.data").waitFor();
  const over = await page.locator("#why .table-scroll").evaluate((box) => box.scrollWidth - box.clientWidth);
  assert.ok(over <= 1, `${over} px do not fit`);
  await check();
});

/** The boxes of the lane of the cursor, of the timeline and of why, and how high the window is. */
function places() {
  const box = (selector) => {
    const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { left, top, right, bottom };
  };
  return { lane: box(".timeline-place"), timeline: box("#timeline-card"), why: box("#why"), high: innerHeight };
}

test("why stands beside the timeline and covers nothing of it", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }]) {
    const { page, check } = await openPage(browser, `#${SMALL.replace("q6600", "tigerton-4x4")}&view&at=A:0:200us`, { viewport });
    await settled(page);
    const canvas = page.locator("canvas.timeline-hand");
    await canvas.focus();
    for (let lane = 0; lane < 15; lane += 1) await page.keyboard.press("ArrowDown");
    await addressed(page, "at=A:15:");
    await page.keyboard.press("w");
    await page.locator("#why p").first().waitFor();
    const { lane, timeline, why, high } = await page.evaluate(places);
    assert.ok(why.left >= timeline.right, "beside it");
    assert.ok(lane.top >= 0 && lane.bottom <= high, "the lane is in sight");
    assert.ok(why.top >= 0 && why.top < high - 100, "and so is the answer");
    await check();
  }
});

test("on a narrow page the answer comes up from the foot, under the lane that was asked about", async () => {
  const link = `#${SMALL.replace("q6600", "tigerton-4x4")}&view&at=A:0:200us`;
  const { page, check } = await openPage(browser, link, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await settled(page);
  await page.locator("canvas.timeline-hand").focus();
  for (let lane = 0; lane < 15; lane += 1) await page.keyboard.press("ArrowDown");
  await addressed(page, "at=A:15:");
  await page.keyboard.press("w");
  await page.locator("#why p").first().waitFor();
  const { lane, why, high } = await page.evaluate(places);
  assert.ok(lane.top >= 0 && lane.bottom <= why.top, "the lane is not covered");
  assert.ok(why.top < high - 40 && why.bottom <= high + 1, "the answer is in sight");
  await page.locator("#why").getByRole("button", { name: "Put the answer away" }).click();
  await addressed(page, "at=", false);
  assert.equal(await page.locator(".asked").count(), 0);
  await check();
});

test("a table tells what each task got, and a workload without messages has no throughput of 0", async () => {
  const { page, check } = await openPage(browser, "#m=classroom-1&k=6.12&w=hogs(count=3)&dur=100ms");
  await settled(page);
  const rows = await page.locator("#tasks tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split("\t")[0].trim()), ["hog 0", "hog 1", "hog 2"]);
  for (const row of rows) assert.match(row, /3\d(\.\d+)?\s+ms\s+3\d\.\d\s+%/u);
  assert.match(await page.locator(".tiles").innerText(), /CPU time of tasks\s+99\.\d\s*%/u);
  assert.equal(await page.locator("#throughput").count(), 0);
  assert.equal(await page.locator(".charts .card").count(), 3);
  await check();
});

test("the data of the timeline say of which CPU they are, and another is a choice away", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&view&at=A:2:200us`);
  await settled(page);
  await page.locator("#timeline").getByRole("button", { name: "data" }).click();
  const choice = page.locator("#timeline-data select");
  assert.equal(await choice.evaluate((s) => s.selectedOptions[0].text), "CPU 2");
  const first = await page.locator("#timeline-data tbody").innerText();
  await choice.selectOption("CPU 0");
  await page.waitForFunction((old) => document.querySelector("#timeline-data tbody").innerText !== old, first);
  await check();
});

test("differences are stepped through past the first page, back again, and from the moment looked at on", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&k=2.6.31&w=hackbench(groups=3,loops=20)&vs&k=2.6.32-rc1");
  await settled(page);
  const why = page.locator("#why");
  const said = (number) => why.locator(".parting p", { hasText: new RegExp(`ifference ${number} of `) }).waitFor();
  await why.getByRole("button", { name: "Where do A and B part?" }).click();
  await said(1);
  const next = why.getByRole("button", { name: "Next difference" });
  for (let number = 2; number <= 34; number += 1) {
    await next.click();
    await said(number);
  }
  const back = why.getByRole("button", { name: "Previous difference" });
  for (const number of [33, 32, 31]) {
    await back.click();
    await said(number);
  }
  const seek = page.getByLabel("Moment shown");
  await seek.focus();
  for (let press = 0; press < 9; press += 1) await seek.press("PageUp");
  await why.getByRole("button", { name: /^From .* on$/ }).click();
  await said(1);
  assert.match(await why.locator(".parting p").last().innerText(), /^From .* on: difference 1 of /u);
  await check();
});

test("what comes next after a pause is told at once", async () => {
  const { page, check } = await openPage(browser, "#w=hackbench(groups=40,loops=200)");
  const status = page.locator("output.status");
  await page.waitForFunction(() => /simulating: [1-9]\d\d/.test(document.querySelector("output.status").textContent));
  await page.keyboard.press(" ");
  await status.filter({ hasText: "paused at" }).waitFor();
  let why = "";
  const times = [];
  for (let steps = 0; steps < 4; steps += 1) {
    const begun = Date.now();
    await page.keyboard.press("ArrowRight");
    why = (await moment(page, why)).why;
    times.push(Date.now() - begun);
  }
  // The first question may go back to a checkpoint; those after it go on from there.
  assert.ok(Math.max(...times.slice(1)) < 700, times.join(", "));
  await check();
});

test("c keeps the cursor", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&view&at=A:1:200us&ask=pick`);
  await settled(page);
  for (const compared of [true, false]) {
    await page.keyboard.press("c");
    await addressed(page, "&vs", compared);
    assert.match(await fragment(page), /at=A:1:200us/);
  }
  await check();
});
