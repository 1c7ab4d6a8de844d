// What is wrong with a page, for people who see it badly, use a keyboard, or have a phone.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The faults that axe-core finds. The script is injected by the browser's own protocol, past the page's policy. */
export async function faults(page, rules) {
  await page.evaluate(`window.axe || (() => { ${AXE} })()`);
  const found = await page.evaluate((rules) => window.axe.run(document, {
    resultTypes: ["violations"], ...rules && { runOnly: rules },
  }), rules);
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`));
}

/** What is too small for a thumb: less than 44 x 44 pixels. Sticks and the steps of a track are smaller, and have a
 * button each besides. */
export const tooSmall = (page) => page.evaluate(() => {
  const pressed = "button, input:not([type=hidden]), select, summary, header a, .squares [data-move], .columns [data-move], .points [data-move]";
  return Array.from(document.querySelectorAll(pressed), (one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 44))
    .map(({ one, box }) => `${one.outerHTML.slice(0, 80)} is ${box.width} x ${box.height}`);
});

/** What is wider than a phone of this width. */
export async function tooWide(page, width) {
  const before = page.viewportSize();
  await page.setViewportSize({ width, height: 568 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.setViewportSize(before);
  return wide > width ? [`the page is ${wide} wide on a phone of ${width}`] : [];
}

/** What keeps a person from enlarging the page. */
export const noZoom = (page) => page.evaluate(() => {
  const words = document.querySelector("meta[name=viewport]")?.getAttribute("content") ?? "";
  const still = Array.from(document.querySelectorAll("html, body, main")).some((one) => getComputedStyle(one).touchAction === "none");
  return /user-scalable|maximum-scale/.test(words) || still ? [`zoom is blocked: ${words}`] : [];
});
