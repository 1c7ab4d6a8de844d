// Every page of the site, one after the other, for the screenshots and for the search for faults.

import { Person } from "./browser.js";

const BOARDS = [
  "java-tech:21", "nim:3-4-5", "nim:1-3-5-7:misere", "tic-tac-toe", "connect-four", "zero-sum:11", "one-two-ten",
  "take:30:4:normal", "even-or-odd:15", "pong-hau-ki", "mu-torere",
];

/** Leads a person through all pages, and calls `look` on each with its name. */
export async function everyPage(browser, host, look, boards = BOARDS) {
  const others = await crowd(browser, host);
  const anna = await Person.come(browser, host, { name: "anna", expected: /status of 404/ });
  const { page } = anna;
  const show = async (name) => { await look(name, page); };

  await anna.sees("#lobbies", others.open);
  await show("first");
  await page.locator("summary").click();
  await show("first-more");
  await page.goto(host.url(`/${others.open}`));
  await page.locator("#invitation .card").waitFor();
  await show("invitation");
  await page.goto(host.url(`/${others.locked}`));
  await anna.sees("[role=dialog]", "This lobby has a password");
  await show("dialog-password");
  await page.locator("#password").fill("wrong");
  await page.locator("[role=dialog] .primary").click();
  await anna.sees("[role=dialog]", "That was not the password");
  await show("wrong-password");
  await page.goto(host.url("/brave-otter"));
  await page.locator("main h1").first().waitFor();
  await show("gone");
  await page.goto(host.url(`/${others.full}`));
  await anna.sees("#invitation", "Both seats are taken; you can watch.");
  await show("full");

  await page.goto(host.url());
  await anna.opens("java-tech:21");
  await show("waiting");

  for (const game of boards) {
    await page.goto(host.url());
    await anna.opens(game, "bot", { starts: "me" });
    await page.locator("#moves button").first().waitFor();
    await anna.moves(1);
    await anna.turnAfter(1);
    await show(`playing-${game.replaceAll(":", "-")}`);
  }

  await page.goto(host.url());
  await anna.opens("nim:3-4-5", "bot", { starts: "me", typed: "nim:300-400-7" });
  await page.locator("#pile-b").click();
  await show("large-piles");
  await page.goto(host.url());
  await anna.opens("nim:3-4-5", "bot", { starts: "me", typed: `take:1${"0".repeat(18)}:1${"0".repeat(18)}` });
  await page.locator("#moves button").first().waitFor();
  await show("huge-pile");

  await page.goto(host.url());
  await anna.opens("nim:3-4-5", "bot", { starts: "me", clock: "5m+3s" });
  await page.locator("#actions [data-do=hint]").click();
  await anna.sees("#notice", "Hint");
  await show("hint");
  for (const about of ["rules", "leave", "resign", "draw"]) {
    const button = page.locator(`#actions [data-about=${about}]`);
    if (await button.count() === 0) continue;
    await button.click();
    await page.locator("[role=dialog]").waitFor();
    await show(`dialog-${about}`);
    if (about === "leave") {
      await page.locator("[role=dialog] [data-about=device]").click();
      await anna.sees("#dialog-title", "another device");
      await show("dialog-device");
    }
    await page.keyboard.press("Escape");
    await page.locator("[role=dialog]").waitFor({ state: "detached" });
  }
  await page.locator("#actions [data-do=learn]").click();
  await page.locator(".tree li").nth(3).waitFor();
  await page.locator(".tree .fold[data-do]").nth(1).click();
  await page.waitForFunction(() => document.querySelector(".tree .depth-2"));
  await show("learn");
  await page.locator("[data-do=learn-close]").click();
  let turn = 0;
  while ((turn = await anna.turnAfter(turn)) !== null) await anna.moves();
  await show("over");
  await page.locator("#actions [data-do=learn]").click();
  await page.locator(".tree li").first().waitFor();
  await show("review");
  await page.locator("#actions [data-act=of-lobby]").click();
  await page.locator("#record-steps [data-step]").nth(2).click();
  await anna.sees("#record-words", /win|loss|draw/);
  await show("record");
  await page.locator("#record-keys [data-act=learn]").click();
  await page.locator(".tree li").first().waitFor();
  await show("record-learn");
  await page.locator("[data-act=list]").click();
  await page.locator("#records [data-act=open]").first().waitFor();
  await show("records");
  await page.goto(host.url("/records/99/1"));
  await anna.sees("#records", "is open to you");
  await show("record-of-others");

  await page.goto(host.url());
  await anna.opens("java-tech:21", "bot", { starts: "me" });
  const newest = await anna.context.newPage();
  await newest.goto(page.url());
  await page.locator("#connection", { hasText: "This page has ended" }).waitFor();
  await show("open-elsewhere");
  await newest.close();

  await page.goto(host.url(`/${others.open}?watch`));
  await page.locator("#players .player").first().waitFor();
  await show("watching");
  await page.goto(host.url("/study/java-tech:4"));
  await page.locator(".tree li").nth(2).waitFor();
  await show("study");
  await page.goto(host.url("/study"));
  await page.locator("#study-games button").first().waitFor();
  await show("study-games");
  await page.goto(host.url("/wall"));
  await page.locator(".wall .card").nth(4).waitFor();
  await show("wall");
  await page.goto(host.url("/no/such/page"));
  await show("not-found");
  await anna.leaves();
  for (const person of others.people) await person.leaves();
}

/** Games and lobbies of others: one with a free seat, one with a password, one that is full, some that are played. */
async function crowd(browser, host) {
  const people = [];
  const come = async (name) => {
    people.push(await Person.come(browser, host, { name }));
    return people.at(-1);
  };
  const ben = await come("ben"), open = await ben.opens("connect-four");
  const cleo = await come("cleo");
  await cleo.page.locator("summary").click();
  await cleo.page.locator("form[data-do=new] [name=password]").fill("secret");
  await cleo.page.locator("summary").click();
  const locked = await cleo.opens("tic-tac-toe");
  for (const [name, game] of [["dora", "java-tech:21"], ["emil", "connect-four"], ["fay", "mu-torere"], ["gus", "nim:3-4-5"]]) {
    const person = await come(name);
    await person.opens(game, "bot", { starts: "me" });
    await person.page.locator("#moves button").first().waitFor();
    await person.moves(1);
    await person.turnAfter(1);
  }
  const full = await people.at(-1).page.evaluate(() => location.pathname.slice(1));
  return { people, open, locked, full };
}

/** Shows the page in both sizes, in light and in dark. */
export async function inEachLook(page, look) {
  for (const [size, width, height] of [["phone", 360, 640], ["desk", 1280, 800]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await look(size, colorScheme);
    }
  }
}
