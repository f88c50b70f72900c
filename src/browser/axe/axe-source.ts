/*
 * axe-core as it is injected: the package's own bundle with the slow parts of it replaced, and
 * minified again. Replaced is source text, because within the bundle functions call each other
 * directly, so nothing that is set from outside on `axe.commons` or `axe.utils` reaches them. A
 * fork was refused: it would have to be kept up to date, and nobody could tell what it finds.
 *
 * What must stay true: a patch changes what axe costs, never what it finds, and what it remembers
 * lives no longer than the run. The patches are made for one version of the bundle and are used on
 * no other: there axe runs as it comes, and a test tells.
 */
import { buildFile, buildSource } from './build.ts';
import { applyPatch } from './patch.ts';
import { patches } from './patches.ts';
import { styleOf } from './patches/styles.ts';
import { slim } from './slim.ts';

/** SHA-256 of axe.js in axe-core 4.14.1. */
const patchedBundle = 'fd334aa2da229d401b8f58a11644cd1ae520d8a2418a74905988f2db940ffd4b';

interface AxeSource {
  readonly source: string;
  readonly isPatched: boolean;
}

/** Reads axe-core from its package, to run by the tags. */
export async function loadAxe(tags: readonly string[]): Promise<AxeSource> {
  const [bundle, minified] = await Promise.all([readFile('axe.js'), readFile('axe.min.js')]);
  if (new Bun.CryptoHasher('sha256').update(bundle).digest('hex') !== patchedBundle) {
    return { source: minified, isPatched: false };
  }
  const slimmed = slim(patches.reduce(applyPatch, bundle), tags);
  const source = `${shareStyles(slimmed)}\n${await readColors()}`;
  return {
    source: escapeBeyondLatin(await buildSource(source, { minify: true, format: 'iife' })),
    isPatched: true,
  };
}

/** Styles are looked up all over the bundle, for the same elements again and again. */
function shareStyles(source: string): string {
  return `${source.replaceAll('window.getComputedStyle(', 'styleOf(')}\n${styleOf.toString()}`;
}

/** Set up when the first colour comes that isn't plain RGB. */
async function readColors(): Promise<string> {
  const path = Bun.fileURLToPath(new URL('read-color.ts', import.meta.url));
  const code = await buildFile(path, { minify: false, format: 'cjs' });
  return `function loadColors() { const module = {}; ${code}\nreturn module.exports.readColor; }`;
}

/** One character beyond Latin-1 has the browser hold all of them in twice the memory, and read them so. */
function escapeBeyondLatin(source: string): string {
  return source.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function readFile(name: string): Promise<string> {
  return Bun.file(new URL(import.meta.resolve(`axe-core/${name}`))).text();
}
