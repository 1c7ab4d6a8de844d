// Whole games with the keyboard alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CONNECTION, Person } from "./browser.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

/** What has the focus. */
const focus = (person) => person.page.evaluate(() => {
  const now = document.activeElement;
  return { lost: now === document.body || now === null, text: now?.textContent ?? "", region: now?.closest("#main > * > [id], [role=dialog]")?.id ?? "", do: now?.getAttribute("data-do") ?? "" };
});

/** Presses Tab until this has the focus. */
async function tabTo(person, is, key = "Tab") {
  for (let presses = 0; presses < 80; presses += 1) {
    const now = await focus(person);
    if (is(now)) return;
    await person.page.keyboard.press(key);
  }
  assert.fail(`Tab does not lead there: ${is}`);
}

test("a game from the first page to its end, and the focus is never lost", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  await anna.sees("#start", "Play now");
  await tabTo(anna, (now) => now.do === "play-now");
  await anna.page.keyboard.press("Enter");
  await anna.inLobby();
  let turn = -1, moves = 0;
  for (;;) {
    turn = await anna.turnAfter(turn);
    assert.ok(!(await focus(anna)).lost, `the focus is lost in turn ${turn}`);
    if (turn === null) break;
    const before = await focus(anna);
    if (moves > 0) assert.equal(before.do, "play", "the focus comes back to the moves with the turn");
    await tabTo(anna, (now) => now.do === "play");
    await anna.page.keyboard.press(moves % 2 === 0 ? "Enter" : "Space");
    moves += 1;
  }
  await anna.sees("#why", "The game is over");
  await tabTo(anna, (now) => now.do === "again");
  await anna.page.keyboard.press("Enter");
  await anna.turnAfter(turn ?? -1);
  assert.ok(!(await focus(anna)).lost);
  await anna.leaves();
});

test("the moves of large piles are behind the names of the piles, which stay open with the focus", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  // The bot answers from another pile than b.
  await anna.opens("java-tech:21", "bot", { starts: "me", typed: "nim:60-62-2" });
  let turn = await anna.turnAfter(-1);
  assert.equal(await anna.page.locator("#moves button:visible").count(), 0);
  await tabTo(anna, (now) => now.text.startsWith("Pile b"));
  await anna.page.keyboard.press("Enter");
  await tabTo(anna, (now) => now.text === "Take 2 from b");
  await anna.page.keyboard.press("Enter");
  turn = await anna.turnAfter(turn);
  assert.equal((await focus(anna)).text, "Take 2 from b");
  assert.deepEqual(await anna.page.locator("#moves details").evaluateAll((piles) => piles.map((pile) => pile.open)), [false, true]);
  // Of a move that is not there any more, its pile has the focus.
  await anna.page.locator("[data-move='take 40 from b']").focus();
  await anna.page.keyboard.press("Enter");
  await anna.turnAfter(turn);
  assert.equal((await focus(anna)).text, "Pile b, 20 left");
  await anna.leaves();
});

test("a dialog takes the focus, keeps it, and gives it back", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  await anna.opens("tic-tac-toe", "bot", { starts: "me" });
  await tabTo(anna, (now) => now.text === "Rules");
  await anna.page.keyboard.press("Enter");
  await anna.page.locator("[role=dialog]").waitFor();
  for (let presses = 0; presses < 4; presses += 1) {
    const inside = await anna.page.evaluate(() => {
      const now = document.activeElement;
      return now === document.body || Boolean(now?.closest("[role=dialog]"));
    });
    assert.ok(inside, "Tab leaves the dialog");
    await anna.page.keyboard.press("Tab");
  }
  await anna.page.keyboard.press("Escape");
  await anna.page.locator("[role=dialog]").waitFor({ state: "detached" });
  assert.equal((await focus(anna)).text, "Rules");
  // So does one that was opened from another.
  await tabTo(anna, (now) => now.text === "Leave");
  await anna.page.keyboard.press("Enter");
  await anna.page.locator("[role=dialog] [data-about=device]").click();
  await anna.sees("#dialog-title", "Play on another device");
  await anna.page.keyboard.press("Escape");
  await anna.page.locator("[role=dialog]").waitFor({ state: "detached" });
  assert.equal((await focus(anna)).text, "Leave");
  await anna.leaves();
});

test("a name that is taken gets a number, which its field shows, and the page says so", async () => {
  const ben = await Person.come(browser, host, { name: "ben" });
  await ben.sees("#start", "Play now");
  const anna = await Person.come(browser, host, { name: "anna" });
  const name = anna.page.locator("#name");
  for (const [typed, given] of [["ben", "ben-2"], ["minimax", "minimax-2"], ["carl", "carl"], ["carl", "carl"]]) {
    await name.fill(typed);
    await anna.page.keyboard.press("Enter");
    if (given !== typed) await anna.sees("#notice", `The name ${typed} is taken here, so you are called ${given}.`);
    await anna.page.waitForFunction((given) => document.querySelector("#name")?.value === given, given);
    await anna.page.waitForFunction((given) => JSON.parse(localStorage["nim.name"]) === given, typed);
  }
  await anna.leaves();
  await ben.leaves();
});

test("a line of chat that is refused stays to be mended, and one that is sent goes", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = await anna.opens("tic-tac-toe");
  const ben = await Person.come(browser, host, { name: "ben", path: `/${code}` });
  await ben.joins();
  const line = anna.page.locator("#words"), long = "🙂".repeat(80);
  await line.fill(long);
  await anna.page.keyboard.press("Enter");
  await anna.sees("#notice", "A line has 200 bytes at most");
  assert.equal(await line.inputValue(), long);
  await line.fill("hello");
  await anna.page.keyboard.press("Enter");
  await ben.sees("#log", "hello");
  await anna.page.waitForFunction(() => document.querySelector("#words")?.value === "");
  await anna.leaves();
  await ben.leaves();
});

test("what is typed stays, with its caret, while the page changes around it", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = anna.page.locator("#code");
  await code.click();
  await anna.page.keyboard.type("brave-");
  const ben = await Person.come(browser, host, { name: "ben" });
  const opened = await ben.opens("tic-tac-toe");
  await anna.sees("#lobbies", opened);
  await anna.page.keyboard.type("otter");
  assert.equal(await code.inputValue(), "brave-otter");
  await anna.leaves();
  await ben.leaves();
});

test("what is typed and chosen for a new game stays when the connection is lost: its password, too", async () => {
  const anna = await Person.come(browser, host, { name: "anna", expected: NO_CONNECTION });
  const { page } = anna, form = page.locator("form[data-do=new]");
  await form.locator("summary").click();
  await form.locator("[name=level]").selectOption("easy");
  await form.locator("[name=password]").fill("secret");
  await form.locator("[name=clock]").fill("5m+3s");
  await page.locator("#code").fill("brave-otter");
  await form.locator("[name=typed]").fill("im:3-4");
  await page.keyboard.press("Home");
  await anna.context.setOffline(true);
  await anna.sees("#connection", "The connection is lost");
  await anna.context.setOffline(false);
  await page.waitForFunction(() => document.querySelector("#connection")?.textContent === "");
  await page.keyboard.type("n");
  assert.equal(await form.locator("[name=typed]").inputValue(), "nim:3-4");
  assert.equal(await form.locator("[name=level]").inputValue(), "easy");
  assert.equal(await page.locator("#code").inputValue(), "brave-otter");
  await form.locator("button").last().click();
  await anna.inLobby();
  const ben = await Person.come(browser, host, { name: "ben", path: new URL(page.url()).pathname });
  await ben.sees("[role=dialog]", "This lobby has a password");
  await ben.leaves();
  await anna.leaves();
});
