// The setup column and the notes about a link: what a kernel calls things and lacks, what B is, what runs and until when.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./browser.mjs";
import { SMALL, addressed, fragment, settled } from "./page.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("features, flags and levels have the names of the kernel, and what it lacks says why", async () => {
  const { page, check } = await openPage(browser, "#m=nehalem-ep-2x4x2&k=6.5&w=hogs&dur=5ms");
  await page.locator("#feature-WAKEUP_PREEMPTION").waitFor();
  assert.equal(await page.locator("#feature-WAKEUP_PREEMPT").count(), 0);
  const threads = page.getByLabel("SHARE_CPUCAPACITY at SMT");
  assert.ok(await threads.isChecked());
  assert.ok(await threads.isEnabled());
  for (const flag of ["LOAD_BALANCE", "WAKE_BALANCE", "PREFER_LOCAL", "POWERSAVINGS_BALANCE"]) {
    const box = page.getByLabel(`${flag} at NUMA`, { exact: true });
    assert.ok(await box.isDisabled(), flag);
    assert.ok(!(await box.isChecked()), flag);
    assert.match(await page.locator(".flag-table tbody.absent").filter({ hasText: flag }).first().innerText(), /Not a switch in 6\.5: \S/);
  }
  await page.getByLabel("Kernel release").selectOption("2.6.32-rc1");
  await page.locator("#feature-WAKEUP_PREEMPT").waitFor();
  assert.ok(await page.getByLabel("SHARE_CPUPOWER at SIBLING").isChecked());
  assert.ok(await page.getByLabel("PREFER_LOCAL at MC").isEnabled());
  await check();
});

test("a typed number that is not allowed is put right in words, and one with other signs is none", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&w=hogs(count=2)&dur=5ms");
  await settled(page);
  const field = page.getByRole("textbox", { name: "hogs count", exact: true });
  await field.fill("99999");
  await field.press("Enter");
  await addressed(page, "count=4096");
  const said = page.getByRole("alert").filter({ hasText: "4096" });
  await said.waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await field.fill("1;2");
  await field.press("Enter");
  await said.waitFor({ state: "detached" });
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.match(await fragment(page), /count=4096/);
  await field.fill("3");
  await field.press("Enter");
  await addressed(page, "count=3");
  assert.equal(await field.getAttribute("aria-invalid"), null);
  await check();
});

test("releases are told apart in words, and what is lost is said", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&k=mikie2&w=hogs&dur=5ms");
  const options = await page.getByLabel("Kernel release").locator("option").allInnerTexts();
  for (const option of options) assert.match(option, /^\S+ · \S.+/);
  assert.match(await page.locator(".setup").innerText(), /The text of that patch is lost/);
  await check();
});

test("what is modelled in outline is marked, with what it follows", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&k=6.1&w=hogs&dur=5ms");
  await page.locator(".fold > summary").filter({ hasText: /^\d+ parts modelled in outline$/ }).click();
  assert.match(await page.locator(".setup").innerText(), /outline\s+bandwidth\. [\s\S]*sched_cfs_period_timer/);
  await page.getByLabel("Kernel release").selectOption("2.6.31");
  await page.locator(".fold > summary").filter({ hasText: /^2 parts modelled in outline$/ }).waitFor();
  await check();
});

test("no description in the column is cut", async () => {
  const { page, check } = await openPage(browser, "#k=6.5&w=hogs&dur=5ms");
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll(".setup .item-what, .setup .param > label, .flag-table td, .flag-table th")]
      .filter((e) => e.scrollWidth > e.clientWidth + 1 || getComputedStyle(e).textOverflow === "ellipsis")
      .map((e) => e.textContent),
  );
  assert.deepEqual(cut, []);
  await check();
});

for (const width of [1440, 390]) {
  test(`${width} px: what dismisses a note stands on its first line, at its end`, async () => {
    const { page, check } = await openPage(browser, "#m=q660&w=hackbnech&f=NEXT_BUDY", { viewport: { width, height: 844 } });
    const notes = page.locator(".noted li:has(> span:not(:empty))");
    assert.equal(await notes.count(), 3);
    const words = await notes.allInnerTexts();
    assert.ok(words.some((note) => note.includes("the default runs instead: hackbench(loops=50). Did you mean hackbench?")), words.join("\n"));
    const off = await notes.evaluateAll((all) =>
      all
        .map((note) => {
          const range = document.createRange();
          range.selectNodeContents(note.querySelector(":scope > span").firstChild);
          const line = range.getClientRects()[0];
          const cross = note.querySelector(":scope > button").getBoundingClientRect();
          const box = note.getBoundingClientRect();
          return { high: (cross.top + cross.bottom - line.top - line.bottom) / 2, right: box.right - cross.right };
        })
        .filter(({ high, right }) => Math.abs(high) > 2 || Math.abs(right) > 1),
    );
    assert.deepEqual(off, []);
    await check();
  });
}

test("B starts as a copy of A, and comes back like A but for what it had of its own", async () => {
  const { page, check } = await openPage(browser);
  assert.match(await page.locator(".tally").innerText(), /B differs in kernel/);
  await page.getByRole("button", { name: "A alone" }).click();
  await page.getByLabel("Machine", { exact: true }).selectOption("q6600");
  await addressed(page, "m=q6600");
  await page.getByRole("button", { name: "compare A and B" }).click();
  await addressed(page, "vs");
  assert.equal(await fragment(page), "v=1&m=q6600&k=2.6.31&vs&k=2.6.32-rc1");
  assert.match(await page.locator(".tally").innerText(), /B differs in kernel$/);
  await check();

  const fresh = await openPage(browser, `#${SMALL}`);
  await fresh.page.getByRole("button", { name: "compare A and B" }).click();
  await fresh.page.locator(".tally").filter({ hasText: "B is a copy of A" }).waitFor();
  await fresh.page.getByLabel("Kernel release").selectOption("2.6.31");
  await addressed(fresh.page, "&vs&k=2.6.31");
  await fresh.check();
});

test("what never ends runs for a second, and field and status say so", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&w=hogs(count=2)");
  assert.equal(await page.locator("#run-dur").inputValue(), "1s");
  await page.locator("output.status").filter({ hasText: "stopped after 1s: nothing that runs ends by itself" }).waitFor();
  await page.getByLabel("Workload 1").selectOption("hackbench");
  await settled(page);
  assert.equal(await page.locator("#run-dur").inputValue(), "until done");
  await check();
});

test("nothing is offered to be undone where nobody has changed anything", async () => {
  const { page, check } = await openPage(browser);
  await settled(page);
  assert.equal(await page.getByRole("button", { name: /^Undo the change of/ }).count(), 0);
  await check();
});

test("groups and tasks of a link are shown", async () => {
  const link = "#m=q6600&k=6.1&g=A(weight=300,quota=50ms);B(in=A)&w=hogs(in=B);(task+slp*2+in+A+forever(timer+10ms;run+1ms))&dur=20ms";
  const { page, check } = await openPage(browser, link);
  const setup = await page.locator(".setup").innerText();
  for (const part of ["weight 300, at most 50ms of each 100ms", "in A, weight 100", "task slp * 2 in A forever {", ", in B"]) {
    assert.ok(setup.includes(part), `${part} is not in\n${setup}`);
  }
  await check();
});

test("colours by group have the names of the groups", async () => {
  const { page, check } = await openPage(browser, "#m=classroom-1&k=6.12&g=A;B(weight=300)&w=hogs(count=1,in=A);hogs(count=1,in=B)&dur=200ms");
  await settled(page);
  await page.getByLabel("colour by").selectOption("group");
  const legend = page.locator(".timeline-legend");
  await legend.filter({ hasText: "group A" }).filter({ hasText: "group B" }).waitFor();
  await check();
});

test("what the kernel has not stands under a heading of its own, after what it has", async () => {
  const { page, check } = await openPage(browser, "#m=q6600&k=2.6.31&w=hogs&dur=5ms");
  await page.locator("#feature-LAST_BUDDY").waitFor();
  const out = await page.evaluate(() => {
    const heads = [...document.querySelectorAll(".setup h3")].filter((h) => h.textContent.startsWith("Not in 2.6.31"));
    const after = (item) => heads.some((h) => h.parentElement === item.closest(".block") && h.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING);
    return [...document.querySelectorAll(".setup .item")].filter((item) => item.matches(".absent") !== after(item)).map((item) => item.textContent);
  });
  assert.deepEqual(out, []);
  await check();
});

for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
  test(`${viewport.width} px: seven faults take no third of the window, and all are dismissed by a button in sight`, async () => {
    const { page, check } = await openPage(browser, "#m=q660&k=2.6.33&w=hackbnech;hogz(x=1)&f=NEXT_BUDY,LAST_BUDDI&t=latency:x&d=D99", { viewport });
    const all = page.getByRole("button", { name: "Dismiss all" });
    await all.waitFor();
    assert.ok((await page.locator(".noted li").count()) >= 7);
    const { height } = await page.locator(".noted").boundingBox();
    assert.ok(height < viewport.height / 3, `${height} px`);
    const button = await all.boundingBox();
    const box = await page.locator(".noted").boundingBox();
    assert.ok(button.y + button.height <= box.y + box.height && button.y + button.height <= viewport.height, "it is seen whole");
    await all.click();
    assert.equal(await page.locator(".noted").count(), 0);
    await check();
  });
}
