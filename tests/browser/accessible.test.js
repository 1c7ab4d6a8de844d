// axe-core finds no fault on any page, in light and dark, on a phone and at a desk; everything is large enough for a
// thumb, and no page is wider than a phone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CONNECTION, Person } from "./browser.js";
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

/** The faults of a page in each look. */
async function inAll(page) {
  const all = [];
  await inEachLook(page, async (size, scheme) => {
    const found = [...await faults(page), ...await tooSmall(page), ...await tooWide(page, 320), ...await noZoom(page)];
    all.push(...found.map((fault) => `${size}, ${scheme}: ${fault}`));
  });
  return all;
}

test("a page without JavaScript has no fault", async () => {
  const anna = await Person.come(browser, host, { path: "/wall" });
  // The search is a script itself: it gets what is shown without one.
  await anna.page.route(host.url(), async (route) => {
    const response = await route.fetch(), page = await response.text();
    const shown = page.replace(/<script.*?<\/script>/, "").replaceAll("noscript>", "section>").replaceAll(/<div class="bar.*?<\/div>/gs, "");
    await route.fulfill({ response, body: shown });
  });
  await anna.page.goto(host.url());
  await anna.sees("section", "needs JavaScript");
  assert.deepEqual(await inAll(anna.page), []);
  await anna.leaves();
});

test("a page that cannot be opened, or whose host is not there, has no fault", async () => {
  const anna = await Person.come(browser, host, { name: "anna", expected: NO_CONNECTION });
  await anna.sees("#start", "Play now");
  await anna.context.setOffline(true);
  await anna.sees("#connection", "The connection is lost");
  assert.deepEqual(await inAll(anna.page), []);
  await anna.leaves();
  // What a host says that turns a page away.
  const html = `<h1>This page cannot be opened now</h1><p role="alert">Your address has too many connections.</p><p>It opens by itself.</p>`;
  const ben = await Person.come(browser, host, { path: "/wall" });
  await ben.page.routeWebSocket("**/assets/socket", (socket) => {
    socket.onMessage(() => socket.send(JSON.stringify({ html: [["main", html]] })));
  });
  await ben.page.goto(host.url());
  await ben.sees("#main", "cannot be opened now");
  assert.deepEqual(await inAll(ben.page), []);
  await ben.leaves();
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
