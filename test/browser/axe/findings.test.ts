import axeManifest from 'axe-core/package.json' with { type: 'json' };
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { loadAxe } from '../../../src/browser/axe/axe-source.ts';
import { scannedTags } from '../../../src/browser/axe-script.ts';
import { type PageServer, servePages } from '../../support/page-server.ts';
import { stockSource } from '../axe-in-main-world.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage, visit } from '../browser-stage.ts';
import { type Findings, findBy } from './compare-with-stock.ts';
import { blendingRoot, layeredPage } from './layered-pages.ts';
import { linkPages } from './link-pages.ts';
import { randomPage } from './random-pages.ts';
import { rulePages } from './rule-pages.ts';

const { source, isPatched } = await loadAxe(scannedTags);
const sources: Record<string, string> = {
  ...linkPages,
  '/blending-root': blendingRoot,
  ...rulePages,
  ...Object.fromEntries([1, 2, 3, 4, 5].map((seed) => [`/random/${seed}`, randomPage(seed, 400)])),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((seed) => [`/layered/${seed}`, layeredPage(seed)])),
};
/** The rules that had elements to look at, and those that had none, in the pages so far. */
const applicable = new Set<string>();
const others = new Set<string>();

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(() => sources);
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test('the installed axe-core is the one that the patches were made for', () => {
  expect(isPatched).toBe(true);
});

test('colours are read by the version of Color.js that axe-core brings along', async () => {
  const manifest = new URL('../package.json', import.meta.resolve('colorjs.io/fn'));
  const { version } = await Bun.file(manifest).json();
  expect(version).toBe(axeManifest.devDependencies['colorjs.io']);
});

test.each(Object.keys(sources))(
  'axe with its slow parts replaced says of %s word for word what axe says',
  async (path) => {
    const stock = await findOn(path, stockSource);
    expect(await findOn(path, source)).toEqual(stock);
    const [violations = [], incomplete = [], passes = [], inapplicable = []] = stock.all;
    for (const { id } of [...violations, ...incomplete, ...passes]) applicable.add(id);
    for (const { id } of inapplicable) others.add(id);
  },
  scanTimeoutMs,
);

function findOn(path: string, axe: string): Promise<Findings> {
  return visit(stage, pages.origin + path, (page) => findBy(axe, page));
}

test('each rule has elements to look at in one of these pages, but for one that is for frames', () => {
  expect([...others.difference(applicable)]).toEqual(['frame-focusable-content']);
});
