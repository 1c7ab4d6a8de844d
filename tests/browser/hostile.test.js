// Names, chat and addresses of people who mean harm are text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Person } from "./browser.js";
import { Terminal } from "./host.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

// What may be a name, and what the server refuses as one: such a person is a guest.
const NAMES = ["&lt;b&gt;&#x41;", "\"onclick=alert`1`", "'; alert`1`; //", "\\u003cb\\u003e"];
const REFUSED = ["<script>alert`1`", "<img src=x onerror=a>", "\">" + "<svg onload=a>", "an\u202Ena"];
const LINES = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<iframe src='javascript:alert(1)'></iframe>",
  "<a href='http://evil.example/'>click</a>", "<style>*{display:none}</style>", "&lt;b&gt; &#60;b&#62;",
  "\u202Edesrever si siht\u202C", "\u2066isolated\u2069 \u200Fmark", "\u001B[31mred\u001B[0m \u001B]0;title\u0007", "</li></ol><h1>big</h1>",
];

/** Elements that only a text read as HTML could have made, and what turns text around. */
const harm = (person) => person.page.evaluate(() => ({
  made: document.querySelectorAll("main script, main img, main iframe, main style, main a[href*=evil], #log h1, main b b").length,
  turned: /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(document.body.textContent),
}));

test("names as HTML are text, in the list and in the lobby", async () => {
  for (const typed of [...NAMES, ...REFUSED]) {
    const name = NAMES.includes(typed) ? typed : typed.startsWith("an") ? "anna" : "guest";
    const eve = await Person.come(browser, host, { name: typed });
    const code = await eve.opens("java-tech:21");
    const anna = await Person.come(browser, host, { name: "anna" });
    await anna.sees("#lobbies", code);
    const shown = await anna.page.locator("#lobbies li", { hasText: code }).innerText();
    assert.ok(shown.includes(name.slice(0, 8)), `${name} is not in ${shown}`);
    assert.deepEqual(await harm(anna), { made: 0, turned: false });
    await anna.page.locator("#name").fill(typed);
    await anna.page.locator("#start form button").click();
    await anna.page.locator(`#lobbies [data-do=join][data-code=${code}]`).click();
    await anna.inLobby();
    await anna.sees("#players", name.slice(0, 8));
    assert.deepEqual(await harm(anna), { made: 0, turned: false });
    assert.deepEqual(await harm(eve), { made: 0, turned: false });
    await eve.leaves();
    await anna.leaves();
  }
});

test("chat as HTML, escapes and overrides of the direction is text", async () => {
  const eve = await Person.come(browser, host, { name: "eve" });
  const code = await eve.opens("java-tech:21");
  const anna = await Person.come(browser, host, { name: "anna", path: `/${code}` });
  await anna.joins();
  for (const line of LINES) {
    const count = await anna.page.locator("#log .said").count();
    await eve.page.locator("#words").fill(line);
    await eve.page.locator("#words").press("Enter");
    await anna.page.locator("#log .said").nth(count).waitFor();
    const plain = line.match(/[\w<][^\u0000-\u001F\u200E-\u200F\u202A-\u202E\u2066-\u2069]{3,}/)[0];
    assert.ok((await anna.page.locator("#log .said").nth(count).innerText()).includes(plain), line);
  }
  assert.deepEqual(await harm(anna), { made: 0, turned: false });
  assert.deepEqual(await harm(eve), { made: 0, turned: false });
  await anna.leaves();
  await eve.leaves();
});

test("addresses with script in them run nothing", async () => {
  const anna = await Person.come(browser, host, { name: "anna", expected: /status of (4\d\d)/ });
  for (const path of ["/%3Cscript%3Ealert(1)%3C/script%3E", "/study/%3Cimg%20src=x%20onerror=alert(1)%3E", "/brave-otter?%22%3E%3Cscript%3E", "/study/take:9:3?<b>", "/wall#<img src=x onerror=alert(1)>"]) {
    await anna.page.goto(host.url(path));
    await anna.page.locator("main").waitFor();
    await anna.page.waitForFunction(() => (document.querySelector("main")?.childElementCount ?? 0) > 0);
    assert.deepEqual(await harm(anna), { made: 0, turned: false }, path);
  }
  await anna.leaves();
});

test("a terminal's lines are text in the browser", async () => {
  const anna = await Person.come(browser, host, { name: "anna" });
  const code = await anna.opens("java-tech:21");
  const eve = new Terminal(host, "&lt;eve", "--join", code);
  await anna.sees("#players", "&lt;eve");
  eve.type("say <script>alert(1)</script>");
  await anna.sees("#log", "<script>alert(1)</script>");
  assert.deepEqual(await harm(anna), { made: 0, turned: false });
  await eve.close();
  await anna.leaves();
});
