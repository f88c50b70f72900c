import { afterAll, beforeAll, expect, test } from 'bun:test';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, countsOf, startBrowserStage } from './browser-stage.ts';

/** All in one place: color-contrast compares each with each, which takes half a minute. */
const overlapping = `<style>b { position: absolute; top: 0; left: 0 }</style>${'<b>x</b>'.repeat(12_000)}`;

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage({ axeTimeoutMs: 7_000 });
  pages = servePages(({ origin }) => ({
    '/slow': page(`${overlapping}<img src="data:,">`),
    '/slow-frame': page(`<iframe title="slow" src="${origin}/slow"></iframe><img src="data:,">`),
    '/fine': page('<img src="data:,">'),
  }));
});
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test('a rule that does not come to an end is left out and named, and the others are not', async () => {
  const { violations, rulesNotCompleted, warnings } = await stage.scan(`${pages.origin}/slow`);
  expect(rulesNotCompleted).toEqual(['color-contrast']);
  expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
  expect(warnings).toEqual([
    'The page took too long to check for color-contrast, so that it was not checked for that.',
  ]);
}, 60_000);

test('a page whose rules all come to an end names none', async () => {
  const { rulesNotCompleted, warnings } = await stage.scan(`${pages.origin}/fine`);
  expect(rulesNotCompleted).toEqual([]);
  expect(warnings).toEqual([]);
}, 60_000);

test('a frame in which a rule does not come to an end is left out, and the page is not', async () => {
  const { violations, warnings } = await stage.scan(`${pages.origin}/slow-frame`);
  expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
  expect(warnings).toEqual(['1 frame of the page could not be scanned and count for nothing.']);
}, 60_000);
