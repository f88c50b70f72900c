import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import axeManifest from 'axe-core/package.json' with { type: 'json' };
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { runAxeInMainWorld } from './axe-in-main-world.ts';
import {
  type BrowserStage,
  countsOf,
  scanTimeoutMs,
  startBrowserStage,
  targetsOf,
} from './browser-stage.ts';

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  const manyViolations = await Bun.file(
    new URL('../fixtures/many-violations.html', import.meta.url),
  ).text();
  pages = servePages(() => ({
    '/clean': page('<p>All is well.</p>'),
    '/critical': page('<img src="data:,"><img src="data:,"><img src="data:," alt="">'),
    '/serious': page().replace(' lang="en"', ''),
    '/moderate': page().replace(' lang="en"', ' lang="en" xml:lang="de"'),
    '/minor': page('<div role="directory">Members</div>'),
    '/other-rules': page(
      '<h4>skips levels</h4><a href="/a" style="display:block;font-size:4px">tiny</a><p style="color:#707070">AA, not AAA</p>',
    ).replace('<main>', '<div>'),
    '/contrast/4.48': page('<p style="color:#777777">Grey</p>'),
    '/contrast/4.54': page('<p style="color:#767676">Grey</p>'),
    '/shadow': page(
      `<div id="host"></div><script>
        const root = document.getElementById('host').attachShadow({ mode: 'open' });
        root.innerHTML = '<section id="inner"></section><img src="data:,">';
        root.getElementById('inner').attachShadow({ mode: 'open' }).innerHTML = '<button></button>';
      </script>`,
    ),
    '/declarative-shadow': page(
      '<div id="host"><template shadowrootmode="open"><img src="data:,"></template></div>',
    ),
    '/renamed': page('<script>history.pushState(null, "", "/new-name?x=1#part")</script>'),
    '/written': page(
      `<script>onload = () => { document.open(); document.write(\`${page('<img src="data:,">')}\`); document.close(); }</script>`,
    ),
    '/': manyViolations,
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test.concurrent(
  'a clean page has nothing to report',
  async () => {
    expect(await stage.scan(`${pages.origin}/clean`)).toMatchObject({
      url: `${pages.origin}/clean`,
      finalUrl: `${pages.origin}/clean`,
      violations: [],
      incomplete: [],
      engineVersion: axeManifest.version,
      warnings: [],
    });
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['critical', 'image-alt', [['img:nth-child(2)'], ['img:nth-child(3)']]],
  ['serious', 'html-has-lang', [['html']]],
  ['moderate', 'html-xml-lang-mismatch', [['html']]],
  ['minor', 'aria-deprecated-role', [['div']]],
])(
  'a page with one %s violation is reported with that impact and its elements',
  async (impact, id, targets) => {
    const { violations, incomplete } = await stage.scan(`${pages.origin}/${impact}`);
    expect(targetsOf(violations)).toEqual({ [id]: targets });
    expect(violations[0]).toMatchObject({
      impact: impact as 'critical' | 'serious' | 'moderate' | 'minor',
      description: expect.any(String),
      help: expect.any(String),
      helpUrl: expect.stringContaining(`/${id}?`),
      tags: expect.arrayContaining(['wcag2a']),
    });
    expect(incomplete).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent(
  'rules of other standards than WCAG 2.1 A and AA are not run',
  async () => {
    const { violations, incomplete } = await stage.scan(`${pages.origin}/other-rules`);
    expect([...violations, ...incomplete]).toEqual([]);
  },
  scanTimeoutMs,
);

test.concurrent.each([
  ['4.48', { 'color-contrast': 1 }],
  ['4.54', {}],
])(
  'text with a contrast of %s to 1 gives %p',
  async (ratio, counts) => {
    const { violations } = await stage.scan(`${pages.origin}/contrast/${ratio}`);
    expect(countsOf(violations)).toEqual(counts);
  },
  scanTimeoutMs,
);

describe('a shadow tree', () => {
  test.concurrent(
    'is scanned, and so are those within it, with one selector for each tree',
    async () => {
      const { violations } = await stage.scan(`${pages.origin}/shadow`);
      expect(targetsOf(violations)).toEqual({
        'button-name': [[['#host', '#inner', 'button']]],
        'image-alt': [[['#host', 'img']]],
      });
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'is scanned when it was declared in the markup',
    async () => {
      const { violations } = await stage.scan(`${pages.origin}/declarative-shadow`);
      expect(targetsOf(violations)).toEqual({ 'image-alt': [[['#host', 'img']]] });
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'finalUrl is the URL that the page gave itself, without the fragment',
  async () => {
    const { url, finalUrl } = await stage.scan(`${pages.origin}/renamed`);
    expect(url).toBe(`${pages.origin}/renamed`);
    expect(finalUrl).toBe(`${pages.origin}/new-name?x=1`);
  },
  scanTimeoutMs,
);

test.concurrent(
  'a document that a script has written is the one that is scanned',
  async () => {
    const { violations } = await stage.scan(`${pages.origin}/written`);
    expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
  },
  scanTimeoutMs,
);

test.concurrent(
  'findings are what axe.run finds in the page by itself',
  async () => {
    const expected = await runAxeInMainWorld(stage, `${pages.origin}/`);
    const scan = await stage.scan(`${pages.origin}/`);
    expect(targetsOf(scan.violations)).toEqual(targetsOf(expected.violations));
    expect(targetsOf(scan.incomplete)).toEqual(targetsOf(expected.incomplete));
    expect(scan.violations.length).toBeGreaterThan(15);
    expect(scan.incomplete.length).toBeGreaterThan(1);
  },
  scanTimeoutMs,
);
