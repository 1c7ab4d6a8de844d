// A link whose fragment has the ticket moves a seat to another browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Person, PHONE } from "./browser.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

/** Anna has a seat in a game against the bot, and the link that moves it. */
async function withLink(name = "anna") {
  const anna = await Person.come(browser, host, { name });
  await anna.opens("java-tech:21", "bot", { starts: "me" });
  await anna.turnAfter(0);
  await anna.page.locator("#actions [data-about=device]").click();
  const link = await anna.page.locator("[role=dialog] .link").innerText();
  await anna.page.keyboard.press("Escape");
  return { anna, link: new URL(link) };
}

/** A browser that has opened this link. */
const opens = (link, options) => Person.come(browser, host, { path: link.pathname + link.hash, ...options });

test("the link of a page takes its seat to another browser, and the page says so", async () => {
  const { anna, link } = await withLink();
  assert.match(link.hash, /^#seat=[0-9a-f]{32}&name=anna$/);
  const phone = await opens(link, { name: "ben", ...PHONE });
  await phone.sees("#players", "anna (you)");
  // The key is not left in the address, where others could read it.
  assert.equal(new URL(phone.page.url()).hash, "");
  await anna.sees("#connection", "This page has ended");
  await anna.sees("#notice", "Your seat is open elsewhere now");
  const turn = await phone.turnAfter(0);
  await phone.moves();
  await phone.turnAfter(turn);
  await phone.page.reload();
  await phone.sees("#players", "anna (you)");
  // Who comes back where the seat was takes it back.
  await anna.page.getByRole("button", { name: "Continue here" }).click();
  await anna.turnAfter(turn);
  await phone.sees("#connection", "This page has ended");
  await anna.leaves();
  await phone.leaves();
});

test("a link gives its name to a browser that has none, and to no other", async () => {
  const { anna, link } = await withLink("ä & +b");
  for (const [own, called] of [[undefined, "ä & +b"], ["ben", "ben"]]) {
    const phone = await opens(link, { name: own });
    await phone.sees("#players", "ä & +b (you)");
    await phone.page.goto(host.url());
    await phone.page.waitForFunction((called) => document.querySelector("#name")?.value.startsWith(called), called);
    assert.equal(await phone.page.evaluate(() => JSON.parse(localStorage["nim.name"])), called);
    await phone.leaves();
  }
  await anna.leaves();
});

test("a link changes nothing in a browser that has a seat in that lobby", async () => {
  const { anna, link } = await withLink();
  await anna.page.goto("about:blank");
  await anna.page.goto(`${host.url(link.pathname)}#seat=${"0".repeat(32)}`);
  await anna.sees("#players", /anna.* \(you\)/);
  await anna.leaves();
});

test("a link that is cut off says so, and the lobby can be watched", async () => {
  const { anna, link } = await withLink();
  for (const hash of [link.hash.slice(0, 20), "#seat=", "#seat=<b>"]) {
    const ben = await Person.come(browser, host, { name: "ben", path: link.pathname + hash });
    await ben.sees("#notice", "does not have the whole key");
    await ben.sees("#invitation", link.pathname.slice(1));
    assert.deepEqual(await ben.page.evaluate(() => [localStorage["nim.seats"], localStorage["nim.tickets"]]), ["[]", "[]"]);
    await ben.leaves();
  }
  await anna.leaves();
});

test("an old link, whose seat was given up, says that it leads nowhere", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = await anna.opens("java-tech:21");
  const ben = await Person.come(browser, host, { name: "ben", path: `/${code}#seat=${"0123456789abcdef".repeat(2)}` });
  await ben.sees("#notice", /You have no seat in .*: it was given up, or the link to it is another one\. Ask for a new link/);
  assert.deepEqual(await ben.page.evaluate(() => localStorage["nim.seats"]), "[]");
  await ben.leaves();
  await anna.leaves();
  const late = await Person.come(browser, host, { name: "late", path: `/brave-otter#seat=${"0".repeat(32)}`, expected: /status of 404/ });
  await late.sees("h1", "There is no lobby brave-otter");
  await late.leaves();
});

test("a link to no lobby keeps nothing", async () => {
  const ben = await Person.come(browser, host, { name: "ben", path: `/#seat=${"0".repeat(32)}` });
  await ben.sees("#start", "Play now");
  assert.equal(await ben.page.evaluate(() => localStorage["nim.seats"] ?? null), null);
  await ben.leaves();
});
