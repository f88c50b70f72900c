import { afterAll, beforeAll, expect, test } from 'bun:test';
import axe from 'axe-core';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const timeoutMs = 60_000;
let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  const port = await freePort();
  // Where the reference sends its requests.
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  server = await startServer({ DATABASE_PATH: ':memory:', PORT: String(port), PUBLIC_URL });
  const { executablePath, kind, env } = await findChromium({ environment: process.env });
  browser = await puppeteer.launch({
    executablePath,
    headless: kind === 'headless-shell' ? 'shell' : true,
    args: process.geteuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...process.env, ...env },
  });
}, timeoutMs);
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

async function freePort(): Promise<number | undefined> {
  const placeholder = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = placeholder;
  await placeholder.stop(true);
  return port;
}

async function scan(path: string) {
  const response = await fetch(
    `${server.url}/api/v1/scan?url=${encodeURIComponent(server.url + path)}`,
  );
  return response.json();
}

test.each(['/docs', '/docs/problems'])(
  '%s scans clean with this very service',
  async (path) => {
    expect(await scan(path)).toMatchObject({
      finalUrl: server.url + path,
      label: 'WCAG AA Verified',
      score: 100,
      violations: [],
      warnings: [],
    });
  },
  timeoutMs,
);

/** Opens the reference and notes what a visitor must not see happen. */
async function openReference(scheme: 'light' | 'dark') {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== server.url) faults.push(request.url());
  });
  await page.setViewport({ width: 1280, height: 800 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(`${server.url}/docs`, { waitUntil: 'networkidle0' });
  return { page, faults };
}

/** Opens all six operations, with the forms for trying them. */
async function openAll(page: Page): Promise<void> {
  for (const [button, shown] of [
    ['.opblock-summary-control', '.try-out__btn'],
    ['.try-out__btn', '.execute'],
  ] as const) {
    await page.$$eval(button, (buttons) => {
      for (const it of buttons) if (it instanceof HTMLElement) it.click();
    });
    await page.waitForFunction(
      (selector) => document.querySelectorAll(selector).length === 6,
      {},
      shown,
    );
  }
}

const violationsOf = async (page: Page) => {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
    const { violations } = await (globalThis as typeof globalThis & { axe: typeof axe }).axe.run({
      runOnly,
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
};

test(
  'the reference shows every operation, without an error and without another host',
  async () => {
    const { page, faults } = await openReference('light');
    const operations = await page.$$eval('.opblock-summary-control', (controls) =>
      controls.map((it) => it.textContent?.replace(/\u200b/g, '')),
    );
    expect(operations).toEqual([
      'GET/api/v1/scanScan a page and wait for the report',
      'POST/api/v1/scanStart a scan',
      'GET/api/v1/scan/{scanId}Poll a scan',
      'GET/api/public-scanScan a page and wait for the richer report',
      'GET/livezIs the process alive?',
      'GET/readyzCan it scan?',
    ]);
    expect(await page.$eval('h1', (it) => it.textContent)).toContain('Curbcut');
    expect(faults).toEqual([]);
  },
  timeoutMs,
);

test.each(['light', 'dark'] as const)(
  'the reference is accessible in %s colours with everything open',
  async (scheme) => {
    const { page, faults } = await openReference(scheme);
    await openAll(page);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
  timeoutMs,
);

test(
  'the reference fits a telephone',
  async () => {
    const { page } = await openReference('light');
    await page.setViewport({ width: 390, height: 844 });
    await openAll(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  },
  timeoutMs,
);

test(
  'an operation can be tried out from the reference',
  async () => {
    const { page, faults } = await openReference('light');
    await page.click('#operations-Operation-isAlive .opblock-summary-control');
    await (await page.waitForSelector('#operations-Operation-isAlive .try-out__btn'))?.click();
    await (await page.waitForSelector('#operations-Operation-isAlive .execute'))?.click();
    const answer = await page.waitForSelector('.live-responses-table tbody .response');
    expect(await answer?.evaluate((it) => it.textContent)).toContain('ok');
    expect(faults).toEqual([]);
  },
  timeoutMs,
);
