// A browser for the tests: people with a page each, and what every page is checked for.

import assert from "node:assert/strict";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { PATIENCE } from "./host.js";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

/** The sizes on which the page has to be right. */
export const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
export const DESK = { viewport: { width: 1280, height: 800 } };

/** What Chromium itself logs while there is no connection to the host. */
export const NO_CONNECTION = /WebSocket connection to .* failed|net::ERR_(CONNECTION|INTERNET|NETWORK|SOCKET)/;

export function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A person with a browser of their own: what it keeps is not shared. */
export class Person {
  static async come(browser, host, { path = "/", name, expected, ...options } = {}) {
    const context = await browser.newContext({ ...DESK, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(PATIENCE);
    const person = new Person();
    Object.assign(person, { context, host, expected, errors: [], requests: [] });
    context.on("request", (request) => person.requests.push(request.url()));
    context.on("page", (page) => person.#listen(page));
    // To try a change of the style or the script without a build.
    for (const asset of process.env.NIM_ASSETS ? ["style.css", "script.js"] : []) {
      await context.route(`**/assets/${asset}`, (route) => route.fulfill({ path: join(process.env.NIM_ASSETS, asset) }));
    }
    if (name) {
      await context.addInitScript((name) => {
        if (location.protocol === "http:" && !localStorage.getItem("nim.name")) localStorage.setItem("nim.name", JSON.stringify(name));
      }, name);
    }
    person.page = await context.newPage();
    await person.page.goto(host.url(path));
    return person;
  }

  #listen(page) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.errors.push(message.text());
    });
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("websocket", (socket) => this.requests.push(socket.url()));
    page.on("dialog", (dialog) => {
      this.errors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** Waits until this region, or element, contains these words. */
  async sees(selector, words) {
    const there = this.page.locator(selector);
    try {
      await there.filter({ hasText: words }).first().waitFor({ state: "attached" });
    } catch {
      const all = await there.allTextContents();
      assert.fail(`${selector} never had ${words}, but: ${all.join(" | ")}; ${await this.page.locator("body").innerText()}`);
    }
  }

  /** Opens a lobby for this game. Returns its code. */
  async opens(game, opponent = "people", more = {}) {
    const form = this.page.locator("form[data-do=new]");
    await form.locator("[name=game]").selectOption(game);
    await form.locator("[name=opponent]").selectOption(opponent);
    if (Object.keys(more).length > 0) await form.locator("summary").click();
    for (const [name, value] of Object.entries(more)) {
      const field = form.locator(`[name=${name}]`);
      await (await field.evaluate((field) => field.localName) === "select" ? field.selectOption(value) : field.fill(value));
    }
    await form.locator("button").last().click();
    await this.inLobby();
    return new URL(this.page.url()).pathname.slice(1);
  }

  async inLobby() {
    await this.page.locator("#players .player").first().waitFor();
    await this.page.waitForFunction(() => location.pathname.length > 1);
  }

  /** Sits down in the lobby to which the page's address leads. */
  async joins() {
    await this.page.getByRole("button", { name: "Sit down and play" }).click();
    await this.inLobby();
  }

  /** Waits until it is the person's turn after this turn, or the game is over. Returns the turn, or `null`. */
  async turnAfter(turn) {
    const found = await this.page.waitForFunction((turn) => {
      const there = document.querySelector("#moves [data-turn]");
      if (there && Number(there.getAttribute("data-turn")) > turn) return { turn: Number(there.getAttribute("data-turn")) };
      return document.querySelector("[data-do=again]") ? { turn: null } : null;
    }, turn);
    return (await found.jsonValue()).turn;
  }

  /** Makes a move with its button. */
  async moves(which = 0) {
    await this.page.locator("#moves button[data-do=play]").nth(which).click();
  }

  /** The addresses of other hosts that were asked for. */
  get strays() {
    const own = (url) => new URL(url).host === this.host.address || url.startsWith("data:");
    return this.requests.filter((url) => !own(url));
  }

  /** Closes the browser of this person. Nothing may have gone wrong on any page. */
  async leaves() {
    const errors = this.errors.filter((text) => !this.expected?.test(text));
    await this.context.close();
    assert.deepEqual(errors, [], "errors in the browser's console");
    assert.deepEqual(this.strays, [], "requests to other hosts");
  }
}

/** Two people play to the end of the game; `choose` names the button of a move. */
export async function playOut(people, choose) {
  let turn = -1;
  for (;;) {
    const waits = people.map(async (person) => ({ person, turn: await person.turnAfter(turn) }));
    waits.forEach((wait) => wait.catch(() => {}));
    const next = await Promise.race(waits);
    if (next.turn === null) break;
    turn = next.turn;
    const count = await next.person.page.locator("#moves button[data-do=play]").count();
    await next.person.moves(choose(turn, count));
  }
  for (const person of people) await person.sees("#why", "The game is over");
}
