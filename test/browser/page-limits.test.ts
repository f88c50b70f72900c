import { afterAll, beforeAll, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const runs = (script: string) => page(`<script>${script}</script>`);
const loads = (count: number) =>
  runs(`for (let i = 1; i <= ${count}; i += 1) fetch("data:," + i);`);

/** Each a megabyte long, of an address that is not reached. */
const asks = (count: number) =>
  runs(
    `for (let i = 1; i <= ${count}; i += 1) new Image().src = "http://10.0.0.1/?" + i + "x".repeat(1_000_000);`,
  );

/** To hosts of their own: six go to one. */
const opens = (count: number) =>
  runs(
    `for (let i = 1; i <= ${count}; i += 1) fetch("http://s" + i + ".test:" + location.port).catch(() => {});`,
  );

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage({
    limits: { bytes: 1_000_000, connections: 8 },
    resolveHost: () => Promise.resolve(['127.0.0.1']),
  });
  pages = servePages(() => ({
    '/requests-2900': loads(2_900),
    '/requests-3100': loads(3_100),
    '/megabyte-less': page(`<!--${'x'.repeat(900_000)}-->`),
    '/megabyte': page(`<!--${'x'.repeat(1_000_000)}-->`),
    '/megabyte-later': runs('onload = () => fetch("/megabyte").then((it) => it.text());'),
    '/urls-15': asks(15),
    '/urls-25': asks(25),
    '/hosts-3': opens(3),
    '/hosts-30': opens(30),
    '/goes-39': runs(
      'const n = Number(location.search.slice(1)); if (n < 39) location.replace("?" + (n + 1));',
    ),
    '/goes-on': runs('location.replace("?" + Math.random());'),
    '/refreshes-on': () => htmlResponse(page(), { refresh: `0; url=/refreshes-on` }),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});

test.concurrent.each([
  ['2,900 requests', '/requests-2900'],
  ['900 kB', '/megabyte-less'],
  ['15 MB of URLs', '/urls-15'],
  ['3 connections', '/hosts-3'],
  ['39 navigations after its first', '/goes-39?0'],
])(
  'a page with %s is scanned',
  async (_, path) => {
    expect((await stage.scan(pages.origin + path)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['3,100 requests', 'too-many-page-requests', '/requests-3100'],
  ['a megabyte', 'page-too-large', '/megabyte'],
  ['25 MB of URLs', 'page-too-large', '/urls-25'],
  ['a megabyte that it fetches', 'page-too-large', '/megabyte-later'],
  ['30 connections', 'too-many-connections', '/hosts-30'],
  ['navigations without end', 'too-many-redirects', '/goes-on'],
  ['refreshes without end', 'too-many-redirects', '/refreshes-on'],
] as const)(
  'a page with %s gives %s',
  async (_, code, path) => {
    expect((await stage.fail(pages.origin + path)).code).toBe(code);
  },
  scanTimeoutMs,
);
