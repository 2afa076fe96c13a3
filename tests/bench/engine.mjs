// How fast the shipped module simulates in a real worker, for `cargo xtask bench`.
//
// Arguments: links. For each one line: hash, ms of the engine by itself, ms of a run as the page has it; both are the
// median of $SCHEDLAB_ROUNDS rounds, in CPU time of the process that the worker runs in: real time would tell more of who
// else is busy.

import { readFileSync, readdirSync } from "node:fs";
import { launch, openPage } from "../e2e/browser.mjs";

const ROUNDS = Number(process.env.SCHEDLAB_ROUNDS ?? 5);

/** In the page: starts a worker as crates/web/src/boot.rs does, to talk to it directly. */
async function startWorker() {
  const { glue, wasm } = document.querySelector("script[data-glue]").dataset;
  const module = await WebAssembly.compileStreaming(fetch(new URL(wasm, document.baseURI)));
  const worker = new Worker(new URL("worker-boot.js", document.baseURI), { type: "module" });
  const next = () =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  const ready = next();
  worker.postMessage({ glue: new URL(glue, document.baseURI).href, module });
  await ready;
  // `Request::Bench`, as crates/web/src/protocol/command.rs writes it: its place in the list, a text, a flag.
  const request = (config, watched) => {
    const bytes = new TextEncoder().encode(config);
    const padded = new Uint8Array(4 * Math.ceil(bytes.length / 4));
    padded.set(bytes);
    return Uint32Array.of(7, bytes.length, ...new Uint32Array(padded.buffer), Number(watched));
  };
  // `Reply::Benched`: its place in the list, a hash of 16 bytes or none, events (u64), ms (f64).
  const answered = ({ buffer }) => {
    const view = new DataView(buffer);
    if (view.getUint32(0, true) !== 4) throw new Error(`the worker answers ${new TextDecoder().decode(buffer)}`);
    const hash = view.getUint32(4, true) === 1 ? new TextDecoder().decode(new Uint8Array(buffer, 12, 16)) : undefined;
    const rest = hash === undefined ? 8 : 28;
    return { hash, events: Number(view.getBigUint64(rest, true)), ms: view.getFloat64(rest + 8, true) };
  };
  globalThis.schedlabBench = (config, watched) => {
    const answer = next();
    worker.postMessage(request(config, watched));
    return answer.then(answered);
  };
}

/** CPU time that pages and their workers have had so far, ms. */
async function cpuMs(devtools) {
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return renderers.reduce((sum, { id, cpuTime }) => sum + (fineCpuMs(id) ?? cpuTime * 1000), 0);
}

/** The same of one process from Linux, which counts in ns where the browser counts in hundredths of a second. */
function fineCpuMs(id) {
  try {
    const threads = readdirSync(`/proc/${id}/task`);
    const ns = threads.map((thread) => Number(readFileSync(`/proc/${id}/task/${thread}/schedstat`, "utf8").split(" ")[0]));
    return ns.reduce((sum, n) => sum + n, 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** One run: its hash if it was watched, its events, and how long it took. */
async function once({ page, devtools }, link, watched) {
  const before = await cpuMs(devtools);
  const reply = await page.evaluate(([l, w]) => globalThis.schedlabBench(l, w), [link, watched]);
  return { ...reply, cpu: (await cpuMs(devtools)) - before };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1];
}

const browser = await launch();
try {
  const devtools = await browser.newBrowserCDPSession();
  // A link without a workload, so that the page's own workers rest.
  const { page, check } = await openPage(browser, "#w=none");
  await page.getByRole("alert").filter({ hasText: "nothing runs" }).waitFor();
  await page.evaluate(startWorker);
  for (const link of process.argv.slice(2)) {
    const spent = { alone: [], watched: [] };
    const hashes = new Set();
    // The first round does not count: the browser compiles better code while it runs.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const alone = await once({ page, devtools }, link, false);
      const watched = await once({ page, devtools }, link, true);
      if (alone.events !== watched.events) throw new Error(`${link}: watching changes what happens`);
      hashes.add(watched.hash);
      if (round > 0) {
        spent.alone.push(alone.cpu);
        spent.watched.push(watched.cpu);
      }
    }
    console.log([...hashes].join("/"), median(spent.alone).toFixed(2), median(spent.watched).toFixed(2));
  }
  await check();
} finally {
  await browser.close();
}
