// The wall on a projector: all games of a page are seen without scrolling, the pages follow each other, and a result
// stays for a while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Person } from "./browser.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

const GAMES = [
  "java-tech:21", "nim:3-4-5", "nim:1-3-5-7:misere", "tic-tac-toe", "connect-four", "zero-sum:11", "one-two-ten",
  "take:30:4:normal", "even-or-odd:15", "pong-hau-ki", "mu-torere", "connect-four",
];

/** What is cut off or too small to be read across a classroom. */
const faults = (page) => page.evaluate(() => {
  const found = [], { scrollHeight, scrollWidth } = document.documentElement;
  if (scrollHeight > innerHeight || scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} x ${scrollHeight}`);
  const least = innerHeight / 36;
  for (const card of document.querySelectorAll(".wall .card")) {
    const name = card.querySelector("h2")?.textContent ?? "";
    if (card.scrollHeight > card.clientHeight + 1) found.push(`${name} has ${card.scrollHeight} of ${card.clientHeight} pixels`);
    const code = card.querySelector("h2 .faint");
    if (!code || code.getBoundingClientRect().right > card.getBoundingClientRect().right || code.scrollWidth > code.clientWidth) found.push(`the code of ${name} is cut off`);
    const board = card.querySelector(".board")?.getBoundingClientRect();
    if (!board || board.height < innerHeight / 5 && board.width < innerWidth / 5) found.push(`the board of ${name} is ${board?.width} x ${board?.height}`);
    for (const words of card.querySelectorAll("h2, .player, .how")) {
      const size = parseFloat(getComputedStyle(words).fontSize);
      if (size < least) found.push(`${name}: ${words.className} has ${size} pixels`);
    }
  }
  return found;
});

const codes = (page) => page.locator(".wall h2 .faint").allInnerTexts();

test("twelve games are seen on a projector without scrolling, six at a time, and a result stays", async () => {
  const people = [];
  const wall = await Person.come(browser, host, { path: "/wall" });
  for (const [at, game] of GAMES.entries()) {
    const person = await Person.come(browser, host, { name: `player${at}` });
    await person.opens(game, "bot", { starts: "me" });
    await person.turnAfter(0);
    people.push(person);
    for (const [width, height] of [[1280, 800], [1920, 1080]]) {
      await wall.page.setViewportSize({ width, height });
      // Of seven games four are on the first page, and three on the second one.
      const games = at + 1, most = Math.ceil(games / Math.ceil(games / 6));
      const counts = games <= 6 ? [games] : [most, games - most];
      await wall.page.waitForFunction((counts) => counts.includes(document.querySelectorAll(".wall .card").length), counts);
      assert.deepEqual(await faults(wall.page), [], `${at + 1} games at ${width}x${height}`);
    }
  }
  await wall.sees("#pages", /Page \d of 2/);
  // The last game may come to the wall when its first page was read already, so that a third one is needed.
  const all = people.map(({ page }) => new URL(page.url()).pathname.slice(1)).sort(), seen = new Set();
  for (let pages = 0; pages < 3 && seen.size < 12; pages += 1) {
    const [words, now] = [await wall.page.locator("#pages").innerText(), await codes(wall.page)];
    now.forEach((code) => seen.add(code));
    if (seen.size < 12) await wall.page.waitForFunction((words) => document.querySelector("#pages")?.innerText !== words, words);
  }
  assert.deepEqual([...seen].sort(), all);

  // A page that is held is not turned, and shows how a game of it ends.
  await wall.page.getByRole("button", { name: "Hold this page" }).click();
  await wall.page.getByRole("button", { name: "Turn the pages" }).waitFor();
  const held = await codes(wall.page);
  const one = people.find(({ page }) => held.includes(new URL(page.url()).pathname.slice(1)));
  const code = new URL(one.page.url()).pathname.slice(1);
  await one.page.locator("#actions [data-about=resign]").click();
  await one.page.locator("[role=dialog] .primary").click();
  const card = wall.page.locator(".wall .card", { hasText: code });
  await card.filter({ hasText: /resigned|gave up/ }).waitFor();
  assert.deepEqual(await faults(wall.page), []);
  await wall.leaves();
  for (const person of people) await person.leaves();
});
