// Where a page cannot be as it should, it says why and what helps.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { Person } from "./browser.js";
import { readyBrowser, startHost } from "./ready.js";

const browser = await readyBrowser();

/** A host with these flags for one test. */
async function withHost(flags, run) {
  const host = await startHost(...flags);
  try {
    await run(host);
  } finally {
    await host.close();
  }
}

/** The hello of a client by the name of slow, as a frame. */
const HELLO = Buffer.from("0000000c006e696d010004736c6f7700", "hex");

/** Takes so many connections, which are welcome and then silent. Returns what ends them. */
async function crowd(host, count) {
  const sockets = Array.from({ length: count }, () => connect(host.port, "127.0.0.1"));
  await Promise.all(sockets.map((socket) => {
    socket.write(HELLO);
    return once(socket, "data");
  }));
  return () => sockets.forEach((socket) => socket.destroy());
}

test("a page of an address with too many connections says why, and what helps", () =>
  withHost(["--max-connections-each", "20"], async (host) => {
    const crowded = "your address has as many connections as the server allows, 20";
    const expected = /status of 503|WebSocket connection to .* failed|net::ERR_(INTERNET|CONNECTION)/;
    const anna = await Person.come(browser, host, { name: "anna", expected });
    await anna.opens("java-tech:21");
    await anna.context.setOffline(true);
    await anna.sees("#connection", "The connection is lost");
    // Its connection is gone on the host's side too.
    await host.kill();
    await host.restart();
    const goes = await crowd(host, 20);
    const ben = await Person.come(browser, host, { name: "ben", expected });
    await ben.sees("body", crowded);
    await ben.sees("body", "Close pages that nobody needs, and load this page again.");
    await anna.context.setOffline(false);
    // An open page says it as well, and comes back by itself.
    await anna.sees("#connection", crowded);
    goes();
    await anna.page.waitForFunction(() => document.querySelector("#connection")?.textContent === "");
    await ben.page.reload();
    await ben.sees("#start", "Play now");
    await anna.leaves();
    await ben.leaves();
  }));

test("a seat in a lobby that the host has closed is gone from the first page, which says so", () =>
  withHost([], async (host) => {
    const anna = await Person.come(browser, host, { name: "anna" });
    const code = await anna.opens("java-tech:21");
    await anna.page.evaluate(() => {
      const [seat] = JSON.parse(localStorage["nim.seats"]);
      localStorage["nim.seats"] = JSON.stringify([seat, { ...seat, code: "brave-otter" }]);
    });
    await anna.page.goto(host.url());
    await anna.sees("#notice", "The host has closed brave-otter: you have no seat there any more.");
    await anna.sees("#seats", code);
    assert.equal(await anna.page.locator("#seats button").count(), 1);
    const kept = await anna.page.evaluate(() => JSON.parse(localStorage["nim.seats"]).map((seat) => seat.code));
    assert.deepEqual(kept, [code]);
    await anna.leaves();
  }));

test("without JavaScript the page says what to do", () =>
  withHost([], async (host) => {
    const anna = await Person.come(browser, host, { javaScriptEnabled: false });
    const words = anna.page.locator("noscript p");
    assert.match(await words.textContent(), /Switch it on in the browser's settings/);
    assert.ok((await words.boundingBox()).height > 40);
    assert.equal(await anna.page.locator("#connection").boundingBox(), null);
    await anna.leaves();
  }));

/** Whether a page of a site of its own gets to the API of this host. */
async function fromElsewhere(site, host) {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${site.address().port}/`);
  const answer = await page.evaluate((address) => new Promise((done) => {
    const socket = new WebSocket(`ws://${address}/api`);
    socket.onopen = () => socket.send(JSON.stringify({ do: "hello", name: "page" }));
    socket.onmessage = ({ data }) => done(JSON.parse(data).event);
    socket.onclose = () => done("closed");
  }), host.address);
  await page.close();
  return answer;
}

test("a page of another origin gets to the API only if the host names its origin", async () => {
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<title>a page</title>")).listen(0, "127.0.0.1");
  await once(site, "listening");
  const origin = `http://127.0.0.1:${site.address().port}`;
  await withHost([], async (host) => assert.equal(await fromElsewhere(site, host), "closed"));
  await withHost(["--web-origin", origin], async (host) => assert.equal(await fromElsewhere(site, host), "welcome"));
  site.close();
  site.closeAllConnections();
});
