// Makes a picture of every page at 360x640 and 1280x800, light and dark:
//   npm run screenshots -- OUT_DIR

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./browser.js";
import { everyPage, inEachLook } from "./pages.js";
import { startHost } from "./ready.js";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: npm run screenshots -- OUT_DIR");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const [browser, host] = await Promise.all([launch(), startHost()]);
let count = 0;
try {
  await everyPage(browser, host, (name, page) => inEachLook(page, async (size, scheme) => {
    await page.screenshot({ path: join(folder, `${name}-${size}-${scheme}.png`) });
    count += 1;
  }));
} finally {
  await browser.close();
  await host.close();
}
console.log(`${count} pictures in ${folder}`);
