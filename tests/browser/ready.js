// What each file of tests begins with: a browser and a host, which end with its tests.

import { after } from "node:test";
import { launch } from "./browser.js";
import { Host } from "./host.js";

/** A host with these flags, whose bot answers at once. */
export const startHost = (...flags) => Host.start("--bot-pace", "1ms", ...flags);

/** A browser and a host for all tests of a file. */
export async function ready(...flags) {
  const [browser, host] = await Promise.all([launch(), startHost(...flags)]);
  after(async () => {
    await browser.close();
    await host.close();
  });
  return { browser, host };
}

/** A browser alone, where each test has a host of its own. */
export async function readyBrowser() {
  const browser = await launch();
  after(() => browser.close());
  return browser;
}
