// Whole games: two browsers, a browser and a terminal, a browser and the bot.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Person, PHONE, playOut } from "./browser.js";
import { Terminal } from "./host.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

test("two browsers play each game of the first page to its end", async (t) => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const ben = await Person.come(browser, host, { name: "ben", ...PHONE });
  const games = await anna.page.locator("form[data-do=new] [name=game] option").evaluateAll((all) => all.map((one) => one.value));
  assert.ok(games.length >= 11, games.join());
  for (const game of games) {
    await t.test(game, async () => {
      await anna.page.goto(host.url());
      const code = await anna.opens(game);
      await ben.page.goto(host.url(`/${code}`));
      await ben.joins();
      // Always the same moves: spread over all that are legal, so that squares and columns fill up.
      await playOut([anna, ben], (turn, count) => (turn * 7) % count);
      for (const person of [anna, ben]) {
        await person.page.locator("[data-do=give-up], [data-do=ask][data-about=leave]").first().click();
        await person.sees("#start", "Play now");
      }
    });
  }
  await anna.leaves();
  await ben.leaves();
});

test("a browser plays against a terminal", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = await anna.opens("java-tech:21");
  const ben = new Terminal(host, "ben", "--join", code);
  await anna.sees("#players", "ben");
  const types = async () => {
    for (;;) {
      const [asked] = await ben.prints(/Your move \(.*\): |You (won|lost): .*/);
      if (!asked.startsWith("Your move")) return asked;
      ben.type("1");
    }
  };
  const [said] = await Promise.all([types(), playOut([anna], () => 0)]);
  // Both take one in turn: who begins takes the last of 21, and loses.
  const annaLost = await anna.page.locator("#log").innerText();
  assert.match(said, annaLost.includes("You lost") ? /You won/ : /You lost/);
  await ben.close();
  await anna.leaves();
});

test("one tap begins a game against the bot, which is played to its end and again", async () => {
  const anna = await Person.come(browser, host, { name: "anna", ...PHONE });
  await anna.page.getByRole("button", { name: "Play now" }).tap();
  await anna.inLobby();
  await playOut([anna], () => 0);
  await anna.page.getByRole("button", { name: "Another game" }).tap();
  await anna.page.locator("#moves button").first().waitFor();
  await anna.leaves();
});
