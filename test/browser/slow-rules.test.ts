import { afterAll, beforeAll, expect, test } from 'bun:test';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, countsOf, startBrowserStage } from './browser-stage.ts';

/** The rule `label` takes long for these; beside it color-contrast may, on a busy machine. */
const slowLabel = `<label>${'<i hidden>x</i>'.repeat(8_000)}${'<input>'.repeat(800)}</label>`;

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage({ axeTimeoutMs: 4_000 });
  pages = servePages(({ origin }) => ({
    '/slow': page(`${slowLabel}<img src="data:,">`),
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
  expect(rulesNotCompleted).toContain('label');
  expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
  const names = rulesNotCompleted.join(' and ');
  expect(warnings).toEqual([
    `The page took too long to check for ${names}, so that it was not checked for that.`,
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
