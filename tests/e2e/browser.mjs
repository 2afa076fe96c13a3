// What every end-to-end test needs: one browser, fresh pages, and a record of everything a page should not do.
//
// The site is served by `cargo xtask test --only e2e`, which gives its address in SCHEDLAB_URL.

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

// The packages live in tools/, so that one folder holds everything that comes from npm.
const require = createRequire(new URL("../../tools/package.json", import.meta.url));
export const { chromium } = require("playwright-core");

/** Programs that count as a browser, best first; $CHROME beats them all. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** How the browser is started. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** The address of the site, with a closing slash. */
export const SITE = process.env.SCHEDLAB_URL;
if (!SITE) throw new Error("SCHEDLAB_URL is not set: run `cargo xtask test --only e2e`");

/** The text of axe, to be run in a page. */
export const axePath = require.resolve("axe-core/axe.min.js");

export async function launch() {
  return chromium.launch({ executablePath: executable(), args: FLAGS, timeout: 60_000 });
}

/**
 * A page in a context of its own, opened on `fragment`, and what it did wrong; `script` runs in it before its own do.
 * Call `check()` at the end of a test: it throws if there was any.
 */
export async function openPage(browser, fragment = "", options = {}, script = undefined) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  if (script) await page.addInitScript(script);
  const faults = [];
  const requests = [];
  page.on("console", (message) => faults.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`page error: ${error}`));
  page.on("crash", () => faults.push("the page crashed"));
  context.on("request", (request) => {
    requests.push(request.url());
    // Not even elsewhere on the same host: another site may live there.
    if (!request.url().startsWith(SITE) && !/^(data|blob):/.test(request.url())) {
      faults.push(`foreign request: ${request.url()}`);
    }
  });
  context.on("requestfailed", (request) => {
    faults.push(`failed request: ${request.url()} ${request.failure()?.errorText}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) faults.push(`status ${response.status()}: ${response.url()}`);
  });
  await page.goto(SITE + fragment);
  return {
    page,
    context,
    requests,
    faults,
    /** Ends the page; throws when it did anything that no page may do. */
    async check() {
      await context.close();
      if (faults.length > 0) throw new Error(`the page misbehaved:\n${faults.join("\n")}`);
    },
  };
}

/** The program of the browser. */
export function executable() {
  if (process.env.CHROME) return process.env.CHROME;
  for (const name of NAMES) {
    for (const folder of process.env.PATH.split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error(`no browser: none of ${NAMES.join(", ")} is on PATH, and CHROME is not set`);
}
