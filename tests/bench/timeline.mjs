// How long a frame takes while the timeline is zoomed and moved: `cargo xtask gallery --measure [--slices N]`.
//
// Frame times depend on who else uses the machine; CPU time does not, so that is what is judged: a frame that costs more
// than 33 ms of it cannot be on time anywhere. CPU time is read from /proc; elsewhere only frame times are shown.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FLAGS, SITE, chromium, executable } from "../e2e/browser.mjs";

const SLICES = Number(process.argv[2] ?? 1_000_000);
const FRAMES = 120;
const BUDGET_MS = 33;
/** Clock ticks of /proc a second: 100 on every Linux that Chromium runs on. */
const TICK_MS = 10;

const profile = mkdtempSync(join(tmpdir(), "schedlab-bench-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: executable(),
  args: FLAGS,
  viewport: { width: 1440, height: 900 },
});

/** CPU time so far of the process that scripts and paints, and of the whole browser, ms. */
function cpu() {
  const sum = { renderer: 0, all: 0 };
  if (!existsSync("/proc/self/stat")) return sum;
  const pids = execFileSync("pgrep", ["-f", profile]).toString().trim().split("\n");
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
      sum.all += ms;
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) sum.renderer += ms;
    } catch {
      // The process has ended meanwhile.
    }
  }
  return sum;
}

const page = await context.newPage();
const words = [];
page.on("console", (message) => words.push(message.text()));
page.on("pageerror", (error) => words.push(String(error)));
await page.goto(`${SITE}#${SLICES}`);
await page.locator(".timeline-hand").waitFor({ timeout: 180_000 });
await page.locator(".timeline-hand").focus();
await page.waitForTimeout(2_000);

/** Turns the wheel once a frame by what `turns[i % turns.length]` says; gives the times between frames, sorted. */
function frames(count, turns) {
  return page.evaluate(async ([count, turns]) => {
    const hand = document.querySelector(".timeline-hand");
    const at = hand.getBoundingClientRect();
    const place = { clientX: at.left + at.width / 2, clientY: at.top + 200, bubbles: true, cancelable: true };
    const times = [];
    let last = await new Promise(requestAnimationFrame);
    for (let i = 0; i < count; i += 1) {
      const turn = turns[i % turns.length];
      if (turn) hand.dispatchEvent(new WheelEvent("wheel", { ...place, ...turn }));
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times.sort((a, b) => a - b);
  }, [count, turns]);
}

const rows = {};
async function measure(name, turns) {
  const before = cpu();
  const times = await frames(FRAMES, turns);
  const after = cpu();
  const at = (share) => Math.round(times[Math.floor((FRAMES - 1) * share)]);
  rows[name] = {
    "frame p50, ms": at(0.5),
    "p95": at(0.95),
    "max": at(1),
    "CPU of the page, ms a frame": (after.renderer - before.renderer) / FRAMES,
    "of the browser": (after.all - before.all) / FRAMES,
  };
}

const sway = Array.from({ length: 40 }, (_, i) => ({ deltaY: i < 20 ? 30 : -30, shiftKey: true }));
const breathe = Array.from({ length: 120 }, (_, i) => ({ deltaY: i < 60 ? -60 : 60 }));
const closer = (times) => frames(times, [{ deltaY: -120 }]);

await measure("at rest", [null]);
await measure("zoom in from all and out", breathe);
for (const [name, steps] of [["pan", 12], ["pan, closer", 8], ["pan, closer", 8], ["pan, slices", 8], ["pan, slices and arrows", 6]]) {
  await closer(steps);
  await measure(`${name} (${Object.keys(rows).length})`, sway);
}
await context.close();
rmSync(profile, { recursive: true, force: true });

console.log(`${SLICES} slices on 32 lanes, 1440 × 900`);
console.table(rows);
const slow = Object.entries(rows).filter(([, row]) => row["CPU of the page, ms a frame"] > BUDGET_MS);
for (const [name] of slow) console.error(`over ${BUDGET_MS} ms: ${name}`);
for (const word of words) console.error(`the page said: ${word}`);
process.exitCode = slow.length > 0 || words.length > 0 ? 1 : 0;
