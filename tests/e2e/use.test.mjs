// What people do: change something and see another result, look closer, compare, ask why, share.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { SITE, launch, openPage } from "./browser.mjs";
import { SMALL, addressed, closeSheet, flip, follow, fragment, hashes, settled, tiles, type } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("the default comparison starts by itself and shows numbers for both sides", async () => {
  const { page, check } = await openPage(browser);
  await settled(page);
  const shown = await tiles(page);
  assert.ok(shown.length >= 6, `${shown.length} tiles`);
  for (const tile of shown) assert.match(tile, /A\s+[\d.]+[\s\S]*B\s+[\d.]+/, tile);
  assert.match(await page.locator("output.status").innerText(), /simulated in .* · seed 1$/);
  assert.match(await page.locator("[role=status]").innerText(), /A has ended.* 200.?000 messages.*B has ended/);
  const [a, b, ...more] = await hashes(page);
  assert.match(a, /^[0-9a-f]{16}$/);
  assert.match(b, /^[0-9a-f]{16}$/);
  assert.notEqual(a, b);
  assert.deepEqual(more, []);
  await check();
});

/** Each kind of control: what is done, and what the address says after it. */
const CHANGES = [
  ["machine", (page) => page.getByLabel("Machine", { exact: true }).selectOption("stoakley-2x4"), "m=stoakley-2x4"],
  ["kernel", (page) => page.getByLabel("Kernel release").selectOption("2.6.31"), "k=2.6.31"],
  ["commit", (page) => flip(page, "commit-7"), "d=D07"],
  ["knob", (page) => type(page, "knob-wakeup_granularity", "3ms"), "t=wakeup_granularity:3ms"],
  ["feature", (page) => flip(page, "feature-WAKEUP_PREEMPT"), "f=NO_WAKEUP_PREEMPT"],
  ["flag", (page) => page.getByLabel("BALANCE_NEWIDLE at CPU").click(), "sd="],
  ["workload's parameter", (page) => type(page, "load-0-groups", "5"), "groups=5"],
  ["duration", (page) => type(page, "run-dur", "20ms"), "dur=20ms"],
];

test("every kind of control changes the address and the result; undo, redo and the back button go the same way", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&w=hackbench(groups=6,loops=60)");
  const links = [await fragment(page)];
  const results = [await hashes(page)];
  for (const [what, act, part] of CHANGES) {
    await act(page);
    await addressed(page, part);
    const [hash] = await hashes(page);
    assert.ok(!results.flat().includes(hash), `after a change of the ${what} the result is an old one`);
    links.push(await fragment(page));
    results.push([hash]);
  }
  // Machine, workload and duration are no changes of the kernel.
  assert.match(await page.locator(".tally").innerText(), /^4 changes$/);
  for (let i = CHANGES.length - 1; i >= CHANGES.length - 3; i -= 1) {
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.waitForFunction((link) => location.hash.slice(1) === link, links[i]);
    assert.deepEqual(await hashes(page), results[i], `undo of the ${CHANGES[i][0]}`);
  }
  await page.getByRole("button", { name: "Redo", exact: true }).click();
  await page.waitForFunction((link) => location.hash.slice(1) === link, links.at(-3));
  assert.deepEqual(await hashes(page), results.at(-3), "redo");
  await page.goBack();
  await page.waitForFunction((link) => location.hash.slice(1) === link, links.at(-4));
  assert.deepEqual(await hashes(page), results.at(-4), "the back button");
  await page.goForward();
  await page.waitForFunction((link) => location.hash.slice(1) === link, links.at(-3));
  assert.deepEqual(await hashes(page), results.at(-3), "the forward button");
  await check();
});

test("changes are listed and taken back one by one", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&f=NO_WAKEUP_PREEMPT&t=wakeup_granularity:8ms`);
  await page.locator(".tally").filter({ hasText: "2 changes" }).click();
  const lines = page.locator("dialog .change-list li");
  assert.equal(await lines.count(), 2);
  await page.getByRole("button", { name: "Undo the change of wakeup_granularity" }).last().click();
  await addressed(page, "wakeup_granularity", false);
  assert.equal(await lines.count(), 1);
  await closeSheet(page);
  await page.getByRole("button", { name: "Undo the change of WAKEUP_PREEMPT" }).click();
  await addressed(page, "WAKEUP_PREEMPT", false);
  assert.match(await page.locator(".tally").innerText(), /as released/);
  await check();
});

test("a field says what it could not read, and keeps the value in force", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`);
  const before = await hashes(page);
  await type(page, "knob-wakeup_granularity", "3 apples");
  await page.getByRole("alert").filter({ hasText: "3 apples" }).waitFor();
  assert.deepEqual(await hashes(page), before);
  await page.locator("#knob-wakeup_granularity").press("Escape");
  assert.equal(await page.getByRole("alert").filter({ hasText: "apples" }).count(), 0);
  assert.match(await page.locator("#knob-wakeup_granularity").inputValue(), /ms$/);
  await check();
});

test("A and B: the differences are listed, one side alone can be shown, and the first decision that differs is a click away", async () => {
  const { page, check } = await openPage(browser);
  const both = await hashes(page);
  await page.locator(".tally").click();
  const row = page.getByRole("row", { name: "kernel" });
  assert.deepEqual(await row.getByRole("cell").allInnerTexts(), ["2.6.31", "2.6.32-rc1"]);
  await closeSheet(page);

  await page.getByRole("button", { name: "A alone" }).click();
  await addressed(page, "k=2.6.31");
  assert.deepEqual(await hashes(page), both.slice(0, 1));
  await page.getByRole("button", { name: "compare A and B" }).click();
  assert.deepEqual(await hashes(page), both);

  await page.getByRole("button", { name: "Where do A and B part?" }).click();
  const parting = page.locator("#why .parting li");
  await parting.first().waitFor();
  const [a, b] = await parting.allInnerTexts();
  assert.notEqual(a.replace(/^A/, ""), b.replace(/^B/, ""));
  await addressed(page, "at=A:");
  await addressed(page, "z=");
  await page.locator("#why .why-lead").first().waitFor();
  const number = (n) => page.locator("#why .parting").filter({ hasText: `Difference ${n} of ` }).waitFor();
  const back = page.getByRole("button", { name: "Previous difference" });
  await number(1);
  assert.ok(await back.isDisabled());
  const first = await fragment(page);
  await page.getByRole("button", { name: "Next difference" }).click();
  await number(2);
  await page.waitForFunction((link) => location.hash !== `#${link}`, first);
  await back.click();
  await number(1);
  await page.waitForFunction((link) => location.hash === `#${link}`, first);
  await check();
});

test("two sides that are alike part nowhere", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&vs`);
  const [a, b] = await hashes(page);
  assert.equal(a, b);
  await page.getByRole("button", { name: "Where do A and B part?" }).click();
  await page.locator("#why").filter({ hasText: "A and B take the same decisions" }).waitFor();
  await check();
});

test("the link is copied, and opens the same setup with the same result elsewhere", async () => {
  const { page, context, check } = await openPage(browser, `#${SMALL}`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(SITE).origin });
  await type(page, "knob-sched_latency", "12ms");
  await flip(page, "commit-20");
  const [hash] = await hashes(page);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, await page.evaluate(() => location.href));
  const other = await context.newPage();
  await other.goto(link);
  assert.deepEqual(await hashes(other), [hash]);
  assert.equal(await other.locator("#knob-sched_latency").inputValue(), "12ms");
  assert.equal(await other.locator("#commit-20").isChecked(), await page.locator("#commit-20").isChecked());
  assert.equal(await other.locator(".tally").innerText(), await page.locator(".tally").innerText());
  assert.equal(await other.evaluate(() => location.href), link);
  await check();
});

test("where copying is forbidden the text is selected, and nobody claims that it was copied", async () => {
  const { page, context, check } = await openPage(browser, `#${SMALL}`);
  await context.grantPermissions([], { origin: new URL(SITE).origin });
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  await page.getByRole("button", { name: "Selected, press Ctrl C" }).waitFor();
  const selected = await page.evaluate(() => {
    const { value, selectionStart, selectionEnd } = document.activeElement;
    return value?.slice(selectionStart, selectionEnd);
  });
  assert.equal(selected ?? "", await page.locator("#share-link").inputValue());
  await check();
});

/** What the shell prints for `command`, where `schedlab` is the program of this repository. */
function shell(command) {
  const cargo = "cargo run --quiet --package=schedlab-cli --profile=test --bin schedlab --";
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  return execFileSync("sh", ["-c", `schedlab() { ${cargo} "$@"; }\n${command}`], { cwd, encoding: "utf8" });
}

test("the command line that is offered gives the same hashes natively", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}&t=wakeup_granularity:2ms`);
  const command = async () => {
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const text = await page.locator("#share-command").inputValue();
    await closeSheet(page);
    return text;
  };
  const [alone] = await hashes(page);
  assert.match(shell(await command()), new RegExp(`Hash ${alone}`, "i"));
  await follow(page, `${SMALL}&vs&k=2.6.31`);
  const both = await hashes(page);
  const report = shell(`${await command()} --json`);
  for (const hash of both) assert.ok(report.includes(hash), `${hash} is missing in the report`);
  await check();
});

test("light, dark and the system's: the switch goes round, and the choice is kept", async () => {
  const { page, check } = await openPage(browser, `#${SMALL}`, { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  const button = page.getByRole("button", { name: /^Theme/ });
  await button.click();
  await page.locator("html[data-theme=light]").waitFor();
  const light = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  await settled(page);
  assert.equal(await ground(), light);
  await button.click();
  await page.locator("html[data-theme=dark]").waitFor();
  assert.equal(await ground(), dark);
  await button.click();
  await page.locator("html:not([data-theme])").waitFor();
  await check();
});
