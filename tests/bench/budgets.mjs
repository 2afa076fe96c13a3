// The page's budgets, measured on the built site, for `cargo xtask budgets`. Nothing is judged: times wobble with what else
// the machine does, so each is shown beside its budget, median and best of $SCHEDLAB_ROUNDS rounds.
//
// What is waited for is what a person waits for: numbers in the tiles, and pictures that are no longer dimmed.

import { launch, openPage } from "../e2e/browser.mjs";

const ROUNDS = Number(process.env.SCHEDLAB_ROUNDS ?? 5);

/** The field of the knob that is turned; it matters at once for any workload. */
const KNOB = "knob-wakeup_granularity";

/** What each round gave, sorted. */
async function rounds(measure) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure(round));
  return times.sort((a, b) => a - b);
}

/** In the page: notes when the first tile has a number, ms from the start of the navigation. */
function watchForNumbers() {
  const numbers = () => [...document.querySelectorAll(".tile dd, .tile .value")].some((e) => /\d/.test(e.textContent));
  const look = () => {
    if (globalThis.schedlabFirst !== undefined || !numbers()) return;
    // The frame that shows them counts too.
    requestAnimationFrame(() => {
      globalThis.schedlabFirst ??= performance.now();
    });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

async function loadToNumbers(browser) {
  const { page, context } = await openPage(browser, "", {}, watchForNumbers);
  const first = await page.waitForFunction(() => globalThis.schedlabFirst);
  const ms = await first.jsonValue();
  await context.close();
  return ms;
}

/** Every run of the page has ended: that is announced. */
async function ended(page) {
  await page.waitForFunction(() => /\d/.test(document.querySelector("[role=status]")?.textContent ?? ""));
}

/** In the page: presses Enter in a field, and waits until the numbers are new, nothing is dimmed, and a frame more. */
function enterAndWait(id) {
  const shown = () => [...document.querySelectorAll(".tile")].map((e) => e.textContent).join();
  return new Promise((resolve, reject) => {
    const before = shown();
    const watch = new MutationObserver(() => {
      if (shown() === before || document.querySelector(".stage .stale")) return;
      watch.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - begun));
    });
    watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    setTimeout(() => reject(new Error(`no new numbers after a change of ${id}`)), 60_000);
    const begun = performance.now();
    document.getElementById(id).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
}

async function knobToPicture(browser) {
  const { page, context } = await openPage(browser);
  await ended(page);
  const times = await rounds(async (round) => {
    await page.fill(`#${KNOB}`, `${round + 1}ms`);
    const ms = await page.evaluate(enterAndWait, KNOB);
    await ended(page);
    return ms;
  });
  await context.close();
  return times;
}

/**
 * The default experiment from a page where nothing runs: the longest task of the page's main thread while it runs, and the
 * one that starts it, which builds everything that was not there; of each ms of real time and of CPU time.
 */
async function longestTasks(browser) {
  const { page, context } = await openPage(browser, "#w=none");
  await page.getByRole("alert").filter({ hasText: "nothing runs" }).waitFor();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.evaluate(() => {
    location.hash = "";
  });
  await ended(page);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  await context.close();
  const tasks = tasksOfPage(traceEvents);
  // A run is going from the moment at which its worker tells of it.
  const told = traceEvents.find((e) => e.name === "HandlePostMessage" && e.pid === tasks[0].pid && e.tid === tasks[0].tid);
  if (!told) throw new Error("the trace shows no message of a worker");
  const longest = (some) => ({
    real: Math.max(...some.map((e) => e.dur)) / 1000,
    cpu: Math.max(...some.map((e) => e.tdur ?? 0)) / 1000,
  });
  const goes = (e) => e.ts + e.dur >= told.ts;
  return [longest(tasks.filter(goes)), longest(tasks.filter((e) => !goes(e)))];
}

/** The tasks of the thread that lays the page out. */
function tasksOfPage(events) {
  const layout = events.find((e) => e.name === "UpdateLayoutTree");
  return events.filter((e) => e.ph === "X" && /RunTask$/.test(e.name) && e.pid === layout.pid && e.tid === layout.tid);
}

function row(what, ...columns) {
  console.log(what.padEnd(56) + columns.map((text) => text.padStart(9)).join(""));
}

function times(what, budget, goal, [...sorted]) {
  const ms = (value) => `${value.toFixed(0)} ms`;
  row(what, budget, goal, ms(sorted[(sorted.length - 1) >> 1]), ms(sorted[0]));
}

const browser = await launch();
try {
  row("what", "budget", "goal", "median", "best");
  times("load to first simulated numbers", "1500 ms", "700 ms", await rounds(() => loadToNumbers(browser)));
  times("knob change to first new picture, default experiment", "150 ms", "50 ms", await knobToPicture(browser));
  const tasks = [];
  for (let round = 0; round < ROUNDS; round += 1) tasks.push(await longestTasks(browser));
  for (const [at, [what, budget]] of [["longest task on the UI thread while a run is going", "50 ms"], ["the task that starts it", ""]].entries()) {
    const sorted = (of) => tasks.map((both) => both[at][of]).sort((a, b) => a - b);
    times(what, budget, "", sorted("real"));
    times("  its CPU time", "", "", sorted("cpu"));
  }
} finally {
  await browser.close();
}
