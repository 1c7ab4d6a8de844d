// axe-core finds no fault on any page, in light and dark, on a phone and at a desk; everything is large enough for a
// thumb, and no page is wider than a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Person } from "./browser.js";
import { everyPage, inEachLook } from "./pages.js";
import { ready } from "./ready.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const { browser, host } = await ready();

/** The faults that axe-core finds. The script is injected by the browser's own protocol, past the page's policy. */
async function faults(page, rules) {
  await page.evaluate(`window.axe || (() => { ${AXE} })()`);
  const found = await page.evaluate((rules) => window.axe.run(document, {
    resultTypes: ["violations"], ...rules && { runOnly: rules },
  }), rules);
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`));
}

/** What is too small for a thumb (44 x 40 pixels for what is pressed), and what is wider than the screen. */
const tooSmall = (page) => page.evaluate(() => {
  const small = [];
  for (const button of document.querySelectorAll("button, input:not([type=hidden]), select, summary")) {
    const box = button.getBoundingClientRect();
    if (box.width > 0 && (box.height < 40 || box.width < 40)) small.push(`${button.outerHTML.slice(0, 80)} is ${box.width} x ${box.height}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) small.push(`the page is ${document.documentElement.scrollWidth} wide`);
  return small;
});

test("no page has a fault", async () => {
  const all = [];
  let pages = 0;
  await everyPage(browser, host, (name, page) => inEachLook(page, async (size, scheme) => {
    // The pages are the same in both sizes and both schemes, but for what is drawn: all rules once in each size, and
    // those about colours in each look.
    const rules = (size === "phone") === (scheme === "light") ? null : ["color-contrast", "link-in-text-block"];
    const found = [...await faults(page, rules), ...size === "phone" ? await tooSmall(page) : []];
    all.push(...found.map((fault) => `${name}, ${size}, ${scheme}: ${fault}`));
    pages += 1;
  }), ["java-tech:21", "nim:3-4-5", "tic-tac-toe", "connect-four", "one-two-ten", "even-or-odd:15", "pong-hau-ki"]);
  assert.deepEqual([...new Set(all)], []);
  assert.ok(pages >= 80, `${pages} pages were looked at`);
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
