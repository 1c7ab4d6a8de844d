// The records: the list, a record step by step with values and reasons, its file, and who may read it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Person, PHONE, playOut } from "./browser.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

/** Somebody who has played a game of sticks to its end, and has opened its record. */
async function reader(options) {
  const anna = await Person.come(browser, host, { name: "anna", ...options });
  const code = await anna.opens("java-tech:21", "bot", { starts: "me", typed: "java-tech:7", ...options?.terms });
  await playOut([anna], () => 0);
  await anna.page.locator("#actions [data-act=of-lobby]").click();
  await anna.sees("#record-keys", /0 of \d+/);
  return { anna, code };
}

/** The step at which the record is. */
const at = (person) => person.page.locator("#record-keys").innerText().then((text) => Number(/(\d+) of/.exec(text)[1]));

test("a record is gone through by thumb on a phone, with values and reasons", async () => {
  const { anna } = await reader(PHONE);
  const keys = anna.page.locator("#record-keys .steppers button");
  assert.deepEqual(await keys.allInnerTexts(), ["First", "Back", "Forward", "Last"]);
  const forward = keys.nth(2);
  // The keys are on the screen wherever the page is, and do not move.
  const box = async () => JSON.stringify(await forward.boundingBox());
  await forward.tap();
  await anna.sees("#record-words", /take 1: loss in \d+ moves?;/);
  await anna.sees("#record-words", "was better");
  const before = await box();
  await forward.tap();
  await anna.sees("#record-keys", "2 of");
  await anna.page.waitForFunction(() => !document.querySelector("#record-words")?.textContent?.includes("Thinking"));
  assert.equal(await box(), before);
  for (const key of await keys.all()) {
    const { y, height } = await key.boundingBox();
    assert.ok(y >= 0 && y + height <= 640, `${y} + ${height}`);
  }
  await keys.nth(3).tap();
  await anna.sees("#record-words", "won");
  assert.equal(await keys.nth(3).getAttribute("aria-disabled"), "true");
  await keys.nth(0).tap();
  await anna.sees("#record-keys", "0 of");
  await anna.leaves();
});

test("the arrow keys go through a record, a tap on a step too, and the panel explains it", async () => {
  const { anna } = await reader();
  for (const [key, step] of [["ArrowRight", 1], ["ArrowRight", 2], ["ArrowLeft", 1], ["Home", 0]]) {
    await anna.page.keyboard.press(key);
    await anna.sees("#record-keys", `${step} of`);
  }
  await anna.page.keyboard.press("End");
  await anna.sees("#record-words", "won");
  await anna.page.locator("#record-steps [data-step='2']").click();
  await anna.sees("#record-keys", "2 of");
  assert.equal(await at(anna), 2);
  await anna.page.locator("#record-keys [data-act=learn]").click();
  await anna.sees("#learn", "Made: take 1");
  await anna.page.locator("[data-do=learn-close]").click();
  // The browser's way back leads to where the record was opened.
  await anna.page.goBack();
  await anna.sees("#why", "The game is over");
  await anna.leaves();
});

test("a record is saved as a file, found in the list, and opened by its address", async () => {
  const { anna, code } = await reader();
  const [download] = await Promise.all([
    anna.page.waitForEvent("download"), anna.page.locator("#record-keys [data-act=save]").click(),
  ]);
  assert.equal(download.suggestedFilename(), `${code}-1.txt`);
  assert.match(readFileSync(await download.path(), "utf8"), /java-tech:7/);
  const address = anna.page.url();
  await anna.page.getByRole("button", { name: "All records" }).click();
  await anna.page.locator("#records [data-act=open]", { hasText: code }).click();
  await anna.sees("#record-title", "java-tech:7");
  assert.equal(anna.page.url(), address);
  await anna.page.reload();
  await anna.sees("#record-title", "java-tech:7");
  const ben = await Person.come(browser, host, { name: "ben", path: new URL(address).pathname });
  await ben.sees("#record-title", "java-tech:7");
  await ben.leaves();
  await anna.leaves();
});

test("the record of a private game is open to its player alone", async () => {
  const { anna } = await reader({ terms: { listed: "no" } });
  const ben = await Person.come(browser, host, { name: "ben", path: new URL(anna.page.url()).pathname });
  await ben.sees("#records", "No record of a game with this name is open to you.");
  assert.doesNotMatch(await ben.page.locator("main").innerText(), /nim-client/);
  await ben.page.getByRole("button", { name: "All records" }).click();
  await ben.sees("h1", "Records");
  await ben.leaves();
  await anna.leaves();
});
