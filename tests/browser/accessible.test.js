// axe-core finds no fault on any page, in light and dark, on a phone and at a desk; everything is large enough for a
// thumb, and no page is wider than a phone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Person } from "./browser.js";
import { faults, noZoom, tooSmall, tooWide } from "./faults.js";
import { everyPage, inEachLook } from "./pages.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

test("no page has a fault", async () => {
  const all = [];
  let pages = 0;
  await everyPage(browser, host, (name, page) => inEachLook(page, async (size, scheme) => {
    // The pages are the same in both sizes and both schemes, but for what is drawn: all rules once in each size, and
    // those about colours in each look.
    const rules = (size === "phone") === (scheme === "light") ? null : ["color-contrast", "link-in-text-block"];
    const found = await faults(page, rules);
    if (size === "phone" && scheme === "light") {
      found.push(...await tooSmall(page), ...await tooWide(page, 360), ...await tooWide(page, 320), ...await noZoom(page));
    }
    all.push(...found.map((fault) => `${name}, ${size}, ${scheme}: ${fault}`));
    pages += 1;
  }), ["java-tech:21", "nim:3-4-5", "tic-tac-toe", "connect-four", "one-two-ten", "even-or-odd:15", "pong-hau-ki", "mu-torere"]);
  assert.deepEqual([...new Set(all)], []);
  assert.ok(pages >= 130, `${pages} pages were looked at`);
});

test("the search finds a fault where there is one", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  await anna.sees("#start", "Play now");
  await anna.page.evaluate(() => {
    document.querySelector("#start").insertAdjacentHTML("beforeend", "<button class='primary'></button>");
  });
  assert.match((await faults(anna.page)).join(), /button-name/);
  assert.match((await tooSmall(anna.page)).join(), /primary/);
  await anna.leaves();
});
