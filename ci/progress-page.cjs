// Drives the page of `pagelint progress` in a headless browser and fails on the first fault.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const { PAGE, SHOTS, CHROMIUM, WORK } = process.env;
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update",
];

async function open(context, seen) {
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => seen.requests.push(request.url()));
  await page.goto(PAGE);
  return page;
}

const names = (page) => page.$$eval("#rows tbody tr:not([hidden]) td[data-name]",
  (cells) => cells.map((cell) => cell.dataset.value));
const values = (page, key) => page.$$eval(`#rows tbody tr:not([hidden]) td[data-${key}]`,
  (cells) => cells.map((cell) => cell.dataset.value));

async function sorts(page) {
  const collator = new Intl.Collator("en", { numeric: true });
  await page.click("button[data-by=name]");
  const rising = await names(page);
  assert.ok(rising.length > 1, "the page has rows");
  assert.deepEqual(rising, [...rising].sort(collator.compare));
  assert.equal(await page.getAttribute("th:has(button[data-by=name])", "aria-sort"), "ascending");
  await page.click("button[data-by=name]");
  assert.deepEqual(await names(page), [...rising].reverse());
  await page.click("button[data-by=findings]");
  const weights = (await values(page, "findings")).map(Number);
  assert.deepEqual(weights, [...weights].sort((a, b) => b - a), "the worst comes first");
}

async function filters(page) {
  const all = await names(page);
  await page.fill("#text", all[0]);
  const some = await names(page);
  assert.ok(some.includes(all[0]) && some.length < all.length, "text filters");
  await page.fill("#text", "no such thing anywhere");
  assert.deepEqual(await names(page), []);
  assert.equal(await page.textContent("#shown"), `0 of ${all.length}`);
  await page.fill("#text", "");
  const statuses = new Set(await page.$$eval("#rows tbody tr", (rows) => rows.map((r) => r.dataset.status)));
  for (const status of statuses) {
    await page.selectOption("select[data-key=status]", status);
    const left = await page.$$eval("#rows tbody tr:not([hidden])", (rows) => rows.map((r) => r.dataset.status));
    assert.ok(left.length > 0 && left.every((one) => one === status), `filters by ${status}`);
  }
  await page.selectOption("select[data-key=status]", "");
  assert.equal((await names(page)).length, all.length);
}

async function events(page) {
  const count = () => page.$$eval(".events > li:not([hidden])", (items) => items.length);
  const all = await count();
  await page.check("#falls");
  const fell = await count();
  assert.ok(fell > 0 && fell < all, "revisions that fell back can be told apart");
  await page.uncheck("#falls");
  const target = await page.getAttribute(".chart a:has(.fell)", "href");
  assert.ok(await page.$(`.events > li.fell${target}`), "a mark of the chart leads to what fell back");
}

const overflow = (page) => page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);

async function main() {
  const browser = await chromium.launchPersistentContext(`${WORK}/profile`, {
    executablePath: CHROMIUM, headless: true, args: FLAGS, viewport: { width: 1280, height: 900 },
  });
  const seen = { errors: [], requests: [] };
  const page = await open(browser, seen);
  await sorts(page);
  await filters(page);
  await events(page);
  await page.click("summary >> nth=0");
  assert.ok(await page.isVisible("#rows details[open] a"), "a row opens to its lines");
  await page.click("summary >> nth=0");
  await page.evaluate(() => window.scrollTo(0, 0));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  assert.ok((await overflow(page)) <= 0, "nothing overflows a wide window");
  await page.screenshot({ path: `${SHOTS}/wide-light.png` });
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await ground(), light, "dark is dark");
  await page.screenshot({ path: `${SHOTS}/wide-dark.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await overflow(page)) <= 0, "nothing overflows a phone");
  await page.selectOption("#order", "name");
  assert.ok(await page.isVisible(".narrow svg"), "a phone gets its own chart");
  await page.screenshot({ path: `${SHOTS}/narrow-dark.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: "light" });
  await page.screenshot({ path: `${SHOTS}/narrow-light.png`, fullPage: true });
  assert.deepEqual(seen.errors, [], "the console stays empty");
  assert.deepEqual(seen.requests.filter((url) => url !== PAGE && !url.startsWith("data:")), [], "no requests");
  await browser.close();
  console.log(`ok: ${seen.requests.length} request, the page itself`);
}

main().catch((error) => { console.error(error); process.exit(1); });
