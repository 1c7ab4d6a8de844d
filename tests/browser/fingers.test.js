// The board under a finger on a phone and under a mouse at a desk.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESK, Person, PHONE } from "./browser.js";
import { ready } from "./ready.js";

const { browser, host } = await ready();

/** A finger, by the touch events of the browser's own protocol. */
async function finger(person) {
  const session = await person.context.newCDPSession(person.page);
  const dispatch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  return {
    press: ({ x, y }) => dispatch("touchStart", [{ x, y }]),
    move: ({ x, y }) => dispatch("touchMove", [{ x, y }]),
    lift: () => dispatch("touchEnd", []),
  };
}

/** The mouse, with the same three words. */
async function mouse(person) {
  const { page } = person;
  return {
    press: async ({ x, y }) => { await page.mouse.move(x, y); await page.mouse.down(); },
    move: ({ x, y }) => page.mouse.move(x, y, { steps: 3 }),
    lift: () => page.mouse.up(),
  };
}

/** The middle of an element, which is brought into view. */
async function middle(person, selector) {
  const there = person.page.locator(selector).first();
  await there.waitFor();
  await there.scrollIntoViewIfNeeded();
  const box = await there.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Where the stick with this number stands. */
const stick = (person, object) => middle(person, `#board g[data-pile] .stick >> nth=${object}`);

/** A place well off the pile, below or above it, wherever there is room. */
async function offPile(person, x, pile = "#board g[data-pile]") {
  const box = await person.page.locator(pile).first().boundingBox();
  const below = box.y + box.height + 40;
  return { x, y: below < person.page.viewportSize().height ? below : box.y - 40 };
}

const lifted = (person) => person.page.locator("#board .stick.lifted").count();

/** A game against the bot in which the person begins. */
async function game(person, variant) {
  await person.page.goto(host.url());
  await person.opens(variant, "bot", { starts: "me" });
  await person.page.locator("#moves button").first().waitFor();
}

for (const [name, size, hand] of [["a finger at 360x640", PHONE, finger], ["a mouse at 1280x800", DESK, mouse]]) {
  describe(name, () => {
    let anna, pointer;
    before(async () => {
      anna = await Person.come(browser, host, { name: "anna", ...size });
      pointer = await hand(anna);
    });
    after(() => anna?.leaves());

    test("pulls several sticks off their pile at once", async () => {
      await game(anna, "java-tech:21");
      const [from, to] = [await stick(anna, 19), await stick(anna, 18)];
      await pointer.press(from);
      await pointer.move(to);
      assert.equal(await lifted(anna), 2, "the finger is still on the pile");
      await pointer.move(await offPile(anna, to.x));
      assert.equal(await anna.page.locator("#board .stick.lifted.off").count(), 2);
      await pointer.lift();
      await anna.sees("#log", "You: take 2");
      await anna.page.locator("#moves button").first().waitFor();
    });

    test("puts sticks back on the pile, and takes nothing", async () => {
      await game(anna, "java-tech:21");
      const [from, to] = [await stick(anna, 19), await stick(anna, 18)];
      await pointer.press(from);
      await pointer.move(to);
      await pointer.move(await offPile(anna, to.x));
      await anna.page.locator("#board .stick.lifted.off").first().waitFor();
      await pointer.move(to);
      await pointer.lift();
      assert.equal(await lifted(anna), 0);
      assert.equal(await anna.page.locator("#board .taken-now").count(), 0);
      assert.doesNotMatch(await anna.page.locator("#log").innerText(), /take/);
      assert.ok(await anna.page.locator("#moves button").count() > 0);
    });

    test("pulls sticks across other rows of their pile, which changes nothing", async () => {
      await game(anna, "java-tech:21");
      const [from, to] = [await stick(anna, 5), await stick(anna, 4)];
      await pointer.press(from);
      await pointer.move(to);
      const off = await offPile(anna, to.x);
      for (const part of [0.25, 0.5, 0.75, 1]) await pointer.move({ x: to.x, y: to.y + (off.y - to.y) * part });
      assert.equal(await anna.page.locator("#board .stick.lifted.off").count(), 2);
      await pointer.lift();
      await anna.sees("#log", "You: take 2");
    });

    test("takes no more sticks than the rules allow", async () => {
      await game(anna, "zero-sum:11");
      const [from, to] = [await stick(anna, 9), await stick(anna, 4)];
      await pointer.press(from);
      await pointer.move(to);
      assert.equal(await lifted(anna), 2);
      await pointer.move(await offPile(anna, to.x));
      await pointer.lift();
      await anna.sees("#log", "You: take 2");
    });

    test("takes from one of several piles", async () => {
      await game(anna, "nim:3-4-5");
      const pile = "#board g[data-pile]:nth-of-type(2)";
      const from = await middle(anna, `${pile} .stick >> nth=3`);
      const to = await middle(anna, `${pile} .stick >> nth=1`);
      await pointer.press(from);
      await pointer.move(to);
      assert.equal(await lifted(anna), 3);
      await pointer.move(await offPile(anna, to.x, pile));
      await pointer.lift();
      await anna.sees("#log", /You: .*3.*b|You: b.*3/);
    });

    test("drops a stone", async () => {
      await game(anna, "connect-four");
      await pointer.press(await middle(anna, "#board g[data-move]:nth-of-type(4) circle"));
      await pointer.lift();
      await anna.sees("#log", "You: ");
      await anna.page.locator("#board circle.first").first().waitFor();
    });

    test("sets a cross", async () => {
      await game(anna, "tic-tac-toe");
      await pointer.press(await middle(anna, "#board g[data-move] .square"));
      await pointer.lift();
      await anna.page.locator("#board .cross").waitFor();
    });

    for (const variant of ["pong-hau-ki", "mu-torere"]) {
      test(`slides a stone along a line of ${variant}, and back where it cannot go`, async () => {
        await game(anna, variant);
        const [stone, free] = [await middle(anna, "#board g[data-move]"), await middle(anna, "#board [data-slide=to]")];
        const near = { x: stone.x + 12, y: stone.y + 40 };
        await pointer.press(stone);
        await pointer.move(near);
        await anna.page.locator("#board .slid").waitFor();
        await pointer.lift();
        assert.equal(await anna.page.locator("#board .slid, #board [transform]").count(), 0);
        assert.doesNotMatch(await anna.page.locator("#log").innerText(), /You: /);
        await pointer.press(stone);
        await pointer.move({ x: (stone.x + free.x) / 2, y: (stone.y + free.y) / 2 });
        await pointer.move(free);
        await pointer.lift();
        await anna.sees("#log", "You: ");
      });
    }

    test("sees at once as taken what was tapped, and once more after a refusal as it was", async () => {
      await game(anna, "tic-tac-toe");
      const at = await middle(anna, "#board g[data-move] .square");
      await anna.page.evaluate(() => {
        // What the page shows in the frame after a tap, and before any answer.
        addEventListener("click", () => {
          window.shown = document.querySelectorAll("#board .taken-now").length;
        });
      });
      await pointer.press(at);
      await pointer.lift();
      await anna.page.locator("#board .cross").waitFor();
      assert.equal(await anna.page.evaluate(() => window.shown), 1);
      await anna.page.waitForFunction(() => document.querySelector("#moves [data-turn]"));
      await anna.page.evaluate(() => {
        const place = document.querySelector("#board g[data-move]");
        place.dataset.move = "no square";
      });
      for (let times = 0; times < 2; times += 1) {
        await pointer.press(await middle(anna, "#board g[data-move='no square'] .square"));
        await pointer.lift();
        await anna.sees("#notice", "No: ");
        await anna.page.waitForFunction(() => !document.querySelector(".taken-now"));
      }
      const turn = await anna.turnAfter(0);
      await anna.moves();
      await anna.turnAfter(turn);
    });
  });
}
