// Nothing is lost: reloads, closed tabs, lost networks, hosts that end and start again, two tabs with one seat.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { NO_CONNECTION, Person } from "./browser.js";
import { readyBrowser, startHost } from "./ready.js";

const browser = await readyBrowser();
let host;
beforeEach(async () => { host = await startHost(); });
afterEach(() => host?.close());

/** A game of two: anna has begun, and ben has answered. */
async function two() {
  const anna = await Person.come(browser, host, { name: "anna", expected: NO_CONNECTION });
  const code = await anna.opens("java-tech:21");
  const ben = await Person.come(browser, host, { name: "ben", path: `/${code}`, expected: NO_CONNECTION });
  await ben.joins();
  const first = await Promise.race([anna.turnAfter(0).then(() => anna), ben.turnAfter(0).then(() => ben)]);
  const second = first === anna ? ben : anna;
  await first.moves();
  await second.turnAfter(1);
  return { first, second, code };
}

test("the name of the program at the top asks how to leave a game, and a reload still returns to it", async () => {
  const { first, second } = await two();
  const address = second.page.url();
  await second.page.locator("a.brand").click();
  await second.page.locator("[role=dialog]").waitFor();
  assert.equal(second.page.url(), address);
  await second.page.keyboard.press("Escape");
  await second.page.reload();
  await second.inLobby();
  await first.leaves();
  await second.leaves();
});

test("a reload keeps the seat and the name", async () => {
  const { first, second } = await two();
  const name = await second.page.evaluate(() => localStorage.getItem("nim.name"));
  const steps = await second.page.evaluate(() => history.length);
  await second.page.reload();
  await second.inLobby();
  assert.equal(await second.page.evaluate(() => history.length), steps, "a reload adds nothing to go back to");
  await second.turnAfter(1);
  await second.sees("#log", "You are back in your seat.");
  assert.equal(await second.page.evaluate(() => localStorage.getItem("nim.name")), name);
  await second.moves();
  await first.turnAfter(2);
  await first.leaves();
  await second.leaves();
});

test("a tab that is closed and opened again has its seat, also from the first page", async () => {
  const { first, second, code } = await two();
  await second.page.close();
  await first.sees("#players", "away");
  second.page = await second.context.newPage();
  await second.page.goto(host.url());
  await second.page.locator("#seats button", { hasText: code }).click();
  await second.turnAfter(1);
  await second.moves();
  await first.turnAfter(2);
  await first.leaves();
  await second.leaves();
});

test("a page without a network says so, comes back by itself, and says what happened meanwhile", async () => {
  const { first, second } = await two();
  await first.context.setOffline(true);
  // A browser that is told of the loss itself is not waited for: the page finds out by the silence.
  await first.sees("#connection", "The connection is lost");
  await second.moves();
  await second.sees("#log", /You: take/);
  await first.context.setOffline(false);
  await first.turnAfter(2);
  await first.sees("#log", /While you were away: .*take 1/);
  await first.page.waitForFunction(() => document.querySelector("#connection")?.textContent === "");
  await first.moves();
  await second.turnAfter(3);
  await first.leaves();
  await second.leaves();
});

test("nothing is said of a connection that is back within a second, and a longer loss is told", async () => {
  const anna = await Person.come(browser, host, { name: "anna", expected: NO_CONNECTION });
  const { page } = anna;
  // The test decides what time it is on the page, and when a connection is closed.
  await page.clock.install();
  await page.addInitScript(() => {
    window.WebSocket = class extends WebSocket {
      constructor(...all) {
        super(...all);
        window.newest = this;
        this.addEventListener("message", () => { window.heard = this; });
      }
    };
  });
  await page.reload();
  await anna.opens("tic-tac-toe", "bot", { starts: "me" });
  await page.clock.pauseAt(await page.evaluate(() => Date.now()) + 1000);
  const isClosed = () => page.evaluate(() => new Promise((done) => {
    window.newest.addEventListener("close", done);
    window.newest.close();
  }));
  const isBack = () => page.waitForFunction(() => window.heard === window.newest && window.newest.readyState === WebSocket.OPEN);
  const told = () => page.locator("#connection").textContent();
  const log = () => page.locator("#log li").allTextContents();
  const before = await log();
  assert.ok(before.length > 0);
  await isClosed();
  await page.clock.runFor(200);
  assert.equal(await told(), "");
  await isBack();
  await anna.moves();
  await anna.turnAfter(1);
  const after = await log();
  assert.deepEqual(after.slice(0, before.length), before);
  assert.match(after[before.length], /^You: /);
  await anna.context.setOffline(true);
  await isClosed();
  await page.clock.runFor(999);
  assert.equal(await told(), "");
  await page.clock.runFor(1);
  assert.match(await told(), /The connection is lost/);
  await anna.context.setOffline(false);
  // No attempt is further away.
  await page.clock.runFor(5000);
  await isBack();
  assert.equal(await told(), "");
  await anna.sees("#log", "You are back in your seat.");
  await anna.moves();
  await anna.turnAfter(3);
  await anna.leaves();
});

test("who only watches is told too what happened meanwhile", async () => {
  const { first, second, code } = await two();
  const carl = await Person.come(browser, host, { name: "carl", path: `/${code}?watch`, expected: NO_CONNECTION });
  await carl.sees("#log", "You watch in");
  assert.doesNotMatch(await carl.page.locator("#log").innerText(), /while you were away/i);
  await carl.page.goto("about:blank");
  await second.moves();
  await first.turnAfter(2);
  await carl.page.goto(host.url(`/${code}?watch`));
  await carl.sees("#log", /While you were away: .*: take 1\./);
  await carl.context.setOffline(true);
  await carl.sees("#connection", "The connection is lost");
  await first.moves(1);
  await second.turnAfter(3);
  await carl.context.setOffline(false);
  await carl.sees("#log", /While you were away: .*: take 2\./);
  await carl.page.reload();
  await carl.sees("#log", "Nothing has happened while you were away.");
  await carl.leaves();
  await first.leaves();
  await second.leaves();
});

test("a host that falls silent is noticed within 3 seconds", async () => {
  const { first, second } = await two();
  const pages = [first.page, second.page];
  for (const page of pages) {
    await page.evaluate(() => {
      window.noticed = new Promise((done) => {
        const look = new MutationObserver(() => {
          if (document.querySelector("#connection")?.textContent?.includes("lost")) done(Date.now());
        });
        look.observe(document.querySelector("#connection"), { childList: true, characterData: true, subtree: true });
      });
    });
  }
  // The process is there, and so is its connection, but nothing answers.
  host.process.kill("SIGSTOP");
  const since = await first.page.evaluate(() => Date.now());
  const noticed = await Promise.all(pages.map((page) => page.evaluate(() => window.noticed)));
  host.process.kill("SIGCONT");
  for (const at of noticed) assert.ok(at - since <= 3000, `it took ${at - since} ms`);
  for (const page of pages) await page.waitForFunction(() => document.querySelector("#connection")?.textContent === "");
  await second.turnAfter(1);
  await second.moves();
  await first.turnAfter(2);
  await first.leaves();
  await second.leaves();
});

test("a game goes on by itself after its host was killed and started again", async () => {
  const { first, second } = await two();
  await host.kill();
  await first.sees("#connection", "The connection is lost");
  await second.sees("#connection", "The connection is lost");
  await host.restart();
  await second.page.waitForFunction(() => document.querySelector("#connection")?.textContent === "");
  await second.turnAfter(1);
  await second.moves();
  await first.turnAfter(2);
  await first.moves();
  await second.turnAfter(3);
  await first.leaves();
  await second.leaves();
});

test("of two tabs with one seat the newest has it, and the other says so", async () => {
  const { first, second } = await two();
  const old = second.page;
  second.page = await second.context.newPage();
  await second.page.goto(old.url());
  await second.inLobby();
  await second.turnAfter(1);
  await old.locator("#connection", { hasText: "This page has ended" }).waitFor();
  assert.match(await old.locator("#notice").innerText(), /Your seat is open elsewhere now/);
  // What is tapped there does nothing, and the reason stays.
  await old.locator("#actions [data-about=rules]").click();
  assert.match(await old.locator("#notice").innerText(), /Your seat is open elsewhere now/);
  assert.equal(await old.evaluate(() => document.activeElement?.textContent), "Continue here");
  await second.moves();
  await first.turnAfter(2);
  // The old tab takes the seat back when its person wants that.
  await old.getByRole("button", { name: "Continue here" }).click();
  await second.page.locator("#connection", { hasText: "This page has ended" }).waitFor();
  second.page = old;
  await first.moves();
  await second.turnAfter(3);
  await first.leaves();
  await second.leaves();
});

test("a browser that keeps nothing says so, comes back as long as the tab is open, and shows the address of the seat", async () => {
  const anna = await Person.come(browser, host, { expected: NO_CONNECTION });
  await anna.context.addInitScript(() => {
    for (const key of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, key, { get() { throw new DOMException("blocked", "SecurityError"); } });
    }
  });
  await anna.page.goto(host.url());
  await anna.sees("#main", "This browser keeps nothing: your seat is lost when this tab is closed or loaded again.");
  const code = await anna.opens("java-tech:21", "bot", { starts: "me" });
  const turn = await anna.turnAfter(-1);
  await anna.moves();
  await anna.turnAfter(turn);
  await anna.sees("#main", "This browser keeps nothing");
  await anna.context.setOffline(true);
  await anna.sees("#connection", "The connection is lost");
  await anna.context.setOffline(false);
  await anna.sees("#log", "You are back in your seat.");
  await anna.page.locator("#actions [data-about=leave]").click();
  await anna.sees("[role=dialog]", "shows the address that leads back to it");
  assert.doesNotMatch(await anna.page.locator("[role=dialog]").innerText(), /This browser keeps your seat/);
  await anna.page.locator("[role=dialog] .primary").click();
  await anna.sees("[role=dialog] .link", "#seat=");
  await anna.page.keyboard.press("Escape");
  await anna.page.locator("#actions [data-about=leave]").click();
  await anna.page.locator("[data-do=leave-and-keep]").click();
  await anna.page.locator("#seats button", { hasText: code }).click();
  await anna.turnAfter(turn);
  await anna.leaves();
});

test("back leads out of a game, and forward into it again", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = await anna.opens("tic-tac-toe", "bot", { starts: "me" });
  await anna.turnAfter(0);
  await anna.page.goBack();
  await anna.sees("#seats", code);
  await anna.page.goForward();
  await anna.turnAfter(0);
  await anna.moves();
  await anna.turnAfter(1);
  await anna.leaves();
});
