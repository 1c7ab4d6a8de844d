// The bars that lie over a page: notices, the lost connection, and what a page says that cannot run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CONNECTION, PHONE, Person } from "./browser.js";
import { faults, tooSmall } from "./faults.js";
import { freePort } from "./host.js";
import { ready, startHost } from "./ready.js";

const { browser, host } = await ready();

/** What axe-core finds on the page in light and in dark. */
async function faultsInBoth(page) {
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    found.push(...await faults(page, ["color-contrast", "button-name", "scrollable-region-focusable"]));
  }
  return found;
}

test("on a phone a notice covers nothing for good: the page scrolls past it, and a button closes it", async () => {
  const anna = await Person.come(browser, host, { name: "anna", ...PHONE });
  await anna.opens("nim:3-4-5", "bot", { starts: "me" });
  await anna.turnAfter(0);
  await anna.page.locator("#actions [data-do=hint]").click();
  await anna.sees("#notice", "Hint");
  const { last, bar } = await anna.page.evaluate(() => {
    scrollTo(0, document.documentElement.scrollHeight);
    const all = Array.from(document.querySelectorAll("#main button, #main #log")).filter((one) => one.getBoundingClientRect().height > 0);
    return { last: Math.max(...all.map((one) => one.getBoundingClientRect().bottom)), bar: document.querySelector("#notice").getBoundingClientRect().top };
  });
  assert.ok(last <= bar, `the page ends at ${last}, below ${bar}`);
  assert.deepEqual(await faultsInBoth(anna.page), []);
  assert.deepEqual(await tooSmall(anna.page), []);
  const close = anna.page.getByRole("button", { name: "Close" });
  await close.click();
  await close.waitFor({ state: "hidden" });
  assert.equal(await anna.page.locator("#notice").textContent(), "");
  // The same answer comes again with the next question.
  await anna.page.locator("#actions [data-do=hint]").click();
  await anna.sees("#notice", "Hint");
  const turn = await anna.turnAfter(0);
  await anna.moves();
  await anna.turnAfter(turn);
  await close.waitFor({ state: "hidden" });
  await anna.leaves();
});

test("on a phone a game is read from its top, wherever the first page was", async () => {
  const anna = await Person.come(browser, host, { name: "anna", ...PHONE });
  const code = await anna.opens("nim:3-4-5");
  assert.equal(await anna.page.evaluate(() => scrollY), 0);
  const ben = await Person.come(browser, host, { name: "ben", path: `/${code}`, ...PHONE });
  await ben.joins();
  await anna.page.locator("#board svg").waitFor();
  // An offer is answered without a search for its buttons.
  await ben.page.locator("#actions [data-do=offer-draw]").click();
  const accept = await anna.page.getByRole("button", { name: "Accept the draw" }).boundingBox();
  assert.ok(accept.y > 0 && accept.y + accept.height <= 640, `${accept.y} + ${accept.height}`);
  await anna.page.locator("[data-do=decline]").click();
  await anna.leaves();
  await ben.leaves();
});

test("the seat goes to the host's other address, as the host shows it, and the button for that stays", async () => {
  const away = await startHost();
  try {
    const anna = await Person.come(browser, away, { name: "anna", expected: NO_CONNECTION });
    await anna.opens("java-tech:21", "bot", { starts: "me" });
    const turn = await anna.turnAfter(0);
    await away.kill();
    const button = anna.page.getByRole("button", { name: "The host has another address" });
    await button.waitFor();
    assert.deepEqual(await faultsInBoth(anna.page), []);
    await button.focus();
    await anna.page.evaluate(() => { window.tried = []; WebSocket = class extends WebSocket { constructor(to) { super(to); window.tried.push(to); } }; });
    await anna.page.waitForFunction(() => window.tried.length > 1);
    assert.equal(await anna.page.evaluate(() => document.activeElement?.textContent), "The host has another address");
    away.port = await freePort();
    await away.restart();
    anna.page.removeAllListeners("dialog");
    anna.page.on("dialog", (dialog) => void dialog.accept(` http://${away.address}/brave-otter?watch#more`));
    await button.click();
    await anna.sees("#players", "anna (you)");
    assert.ok(anna.page.url().startsWith(away.url()), anna.page.url());
    await anna.moves();
    await anna.turnAfter(turn);
    await anna.context.close();
  } finally {
    await away.close();
  }
});

test("a page of another version is loaded again once, and then says what to do", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  let loads = 0;
  page.on("load", () => { loads += 1; });
  await page.addInitScript(() => document.addEventListener("readystatechange", () => {
    document.querySelector("script[data-version]")?.setAttribute("data-version", "old");
  }));
  await page.goto(host.url());
  await page.getByRole("button", { name: "Load this page again" }).waitFor();
  assert.match(await page.locator("#connection").innerText(), /The host runs another version/);
  // It does not try again by itself.
  await page.waitForTimeout(1500);
  assert.equal(loads, 2);
  assert.match(await page.locator("#connection").innerText(), /The host runs another version/);
  await context.close();
});

test("whatever was kept under the page's names, the page opens", async () => {
  for (const kept of ["nonsense", "7", "null", '"x"', "[7,null,[],{}]", '{"code":{}}', `"${"x".repeat(5000)}"`, `["${"y".repeat(5000)}"]`]) {
    const anna = await Person.come(browser, host);
    await anna.sees("#start", "Play now");
    await anna.page.evaluate((kept) => {
      for (const key of ["nim.seats", "nim.tickets", "nim.name"]) localStorage[key] = kept;
      sessionStorage["nim.watched"] = kept;
    }, kept);
    await anna.page.reload();
    await anna.sees("#start", "Play now");
    await anna.opens("java-tech:21", "bot", { starts: "me" });
    await anna.page.reload();
    await anna.sees("#players", "(you)");
    await anna.leaves();
  }
});

test("a page whose script cannot run says so after a moment", async () => {
  const late = /this browser is too old for the page/;
  for (const [what, break_] of [
    ["a script that cannot be parsed", (page) => page.route("**/assets/script.js", (route) => route.fulfill({ contentType: "text/javascript", body: "const = ;" }))],
    ["no modules", (page) => page.route("**/assets/script.js", (route) => route.abort())],
    ["no WebSocket", (page) => page.addInitScript("delete window.WebSocket")],
  ]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await break_(page);
    await page.goto(host.url());
    const words = page.locator("#connection .late");
    await words.waitFor({ state: "visible" });
    assert.match(await words.innerText(), late, what);
    await context.close();
  }
});
