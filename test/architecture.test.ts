import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readmeTable } from './support/readme.ts';

/** What each unit of src may import of the others, type-only imports included: the README's table. */
const allowedImports = new Map(
  readmeTable('unit').flatMap(([units = '', imports = '']) =>
    units.split(', ').map((unit) => [unit.replaceAll('`', ''), imports.split(', ')] as const),
  ),
);

/** Which units may know a package. */
const packageOwners: Record<string, readonly string[]> = {
  elysia: ['http', 'app'],
  '@elysiajs/cors': ['http'],
  '@elysiajs/openapi': ['http'],
  '@sinclair/typebox': ['config', 'http'],
  'ipaddr.js': ['network', 'browser', 'http'],
  'p-queue': ['scan'],
  puppeteer: ['browser'],
  '@puppeteer/browsers': ['browser'],
  '@sparticuz/chromium': ['browser'],
  'axe-core': ['browser'],
  'colorjs.io': ['browser'],
  'drizzle-orm': ['store'],
  'bun:sqlite': ['store'],
};

const sourceRoot = new URL('../src/', import.meta.url).pathname;
const files = [...new Glob('**/*.ts').scanSync(sourceRoot)].toSorted();
const unitOf = (path: string): string => path.split('/')[0]?.replace(/\.ts$/, '') ?? '';

async function importsOf(file: string): Promise<string[]> {
  const text = await Bun.file(sourceRoot + file).text();
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(([, from, dynamic]) => from ?? dynamic ?? '');
}

test.each(files)('%s imports only what its stage may', async (file) => {
  const unit = unitOf(file);
  const allowed = allowedImports.get(unit);
  if (allowed === undefined) throw new Error(`src/${unit} is not in the README’s table of imports`);
  for (const path of await importsOf(file)) {
    if (path.startsWith('.')) {
      const { pathname } = new URL(path, `file:///src/${file}`);
      const imported = unitOf(pathname.replace(/^\/src\//, ''));
      if (pathname.startsWith('/src/') && imported !== unit) expect(allowed).toContain(imported);
      continue;
    }
    const [, name = path] = /^((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    if (name in packageOwners) expect(packageOwners[name]).toContain(unit);
    else expect(path).toMatch(/^(node:|bun$)/);
  }
});

test.each(files)('%s leaves the environment to the process and the command line', async (file) => {
  if (file === 'index.ts' || file === 'cli.ts') return;
  expect(await Bun.file(sourceRoot + file).text()).not.toMatch(/process\.env|Bun\.env/);
});
