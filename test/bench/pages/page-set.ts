import { Glob } from 'bun';
import { join } from 'node:path';
import { createRandom, type Random } from '../../support/random.ts';
import * as documents from './documents.ts';

/** A page to be scanned. */
export interface BenchPage {
  readonly name: string;
  /** Below the mode of the server, with a slash at both ends; or the path of a file. */
  readonly path: string;
  readonly readySelector?: string;
}

/** In which axe takes so long that only the floor and Curbcut scan it, once. */
export const quadraticPage = 'quadratic-4000';
/** As large, without what makes the other one slow. */
export const quadraticTwin = 'plain-4000';

/** The sources of the generated pages. */
export const sources: Readonly<Record<string, (random: Random, otherOrigin: string) => string>> = {
  article: documents.article,
  form: documents.form,
  shop: documents.shop,
  dashboard: documents.dashboard,
  documentation: documents.documentation,
  'table-2000-rows': documents.tablePage(2_000, 4),
  'table-20000-elements': documents.tablePage(1_660, 11),
  'late-app': documents.lateApp,
  'subresources-150': documents.manySubresources,
  frames: documents.frames,
  [quadraticTwin]: documents.linksInManyBlocks,
  [quadraticPage]: documents.linksInOneBlock,
};

export const generatedPages: readonly BenchPage[] = Object.keys(sources).map((name) => ({
  name,
  path: `${name}/`,
  ...(name === 'late-app' ? { readySelector: '[data-ready]' } : {}),
}));

/** Scanned before anything is measured, and where one page will do. */
export const smallPage: BenchPage = { name: 'article', path: 'article/' };

/** Pages as most are. */
export const typicalPages = generatedPages.filter(({ name }) =>
  ['article', 'form', 'shop', 'dashboard', 'documentation'].includes(name),
);

/**
 * Their scripts may go on when they have loaded. Curbcut waits for that, as long as it must; the floor
 * does not, or is told by the page when there is no more to come.
 */
export const scriptedPages: ReadonlySet<string> = new Set(['late-app', 'subresources-150']);

/** The HTML files of a folder and of those below it. */
export async function pagesOf(folder: string): Promise<BenchPage[]> {
  const files = await Array.fromAsync(new Glob('**/*.{html,htm}').scan(folder));
  if (files.length === 0) throw new Error(`there is no HTML file in ${folder}`);
  return files.toSorted().map((file) => ({ name: file, path: encodeURI(file) }));
}

/** The same page each time. */
export function seedOf(name: string): Random {
  return createRandom(Bun.hash.crc32(name));
}

export function fileOf(folder: string, path: string): Bun.BunFile {
  return Bun.file(join(folder, decodeURIComponent(path)));
}
