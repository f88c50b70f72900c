import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, countsOf, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

const sandboxWarning =
  "The page's Content-Security-Policy sandbox forbids scripts, so it was scanned without any of its scripts having run.";
const addsImage = '<script>document.body.append(document.createElement("img"))</script>';
const faint = '<p style="color: #eee">Faint</p>';

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(({ otherOrigin }) => {
    /** The page with the policy that the query names. */
    const withPolicy = (source: string) => (request: Request) => {
      const { searchParams } = new URL(request.url);
      const name = searchParams.get('header') ?? 'content-security-policy';
      return htmlResponse(source, { [name]: searchParams.get('policy') ?? '' });
    };
    return {
      '/image': withPolicy(page('<img src="data:,">')),
      '/clean': withPolicy(page()),
      '/script': withPolicy(page(addsImage)),
      '/faint': withPolicy(page(faint)),
      '/frames': withPolicy(page(`<iframe title="a" src="${otherOrigin}/image"></iframe>`)),
      '/foreign-style': withPolicy(
        page(
          '<p id="faint">Faint</p><img src="data:,">',
          `<link rel="stylesheet" href="${otherOrigin}/style.css">`,
        ),
      ),
      '/style.css': () =>
        new Response('#faint { color: #eee }', { headers: { 'content-type': 'text/css' } }),
    };
  });
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const scan = (path: string, policy: string, header = 'content-security-policy') =>
  stage.scan(`${pages.origin}${path}?${new URLSearchParams({ policy, header }).toString()}`);

describe.each([
  ["default-src 'none'"],
  ["default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"],
  ["script-src 'none'; style-src 'none'; connect-src 'none'; form-action 'none'"],
])('the policy %s', (policy) => {
  test.concurrent.each([
    ['/clean', {}],
    ['/image', { 'image-alt': 1 }],
  ])(
    'changes nothing about the findings on %s',
    async (path, counts) => {
      const { violations, incomplete, warnings } = await scan(path, policy);
      expect({ counts: countsOf(violations), incomplete, warnings }).toEqual({
        counts,
        incomplete: [],
        warnings: [],
      });
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'stays in force: what it blocks is not reported',
    async () => {
      expect(countsOf((await scan('/faint', policy)).violations)).toEqual({});
      expect(countsOf((await scan('/script', policy)).violations)).toEqual({});
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'without a policy, the same style and script do count',
  async () => {
    expect(countsOf((await scan('/faint', '')).violations)).toEqual({ 'color-contrast': 1 });
    expect(countsOf((await scan('/script', '')).violations)).toEqual({ 'image-alt': 1 });
  },
  scanTimeoutMs,
);

test.concurrent(
  'frames are scanned under a policy that allows no script',
  async () => {
    const { violations, warnings } = await scan('/frames', "script-src 'none'");
    expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
    expect(warnings).toEqual([]);
  },
  scanTimeoutMs,
);

describe('a sandbox without scripts', () => {
  test.concurrent.each([
    ['alone', 'sandbox'],
    ['with other permissions', 'sandbox allow-same-origin allow-forms'],
    ['among other directives', "default-src *; SANDBOX ; img-src 'self'"],
    ['in the second of two policies', "img-src 'self', sandbox"],
  ])(
    '%s is scanned, with the warning that no script of the page has run',
    async (_, policy) => {
      const { violations, warnings } = await scan('/script', policy);
      expect(countsOf(violations)).toEqual({});
      expect(warnings).toEqual([sandboxWarning]);
    },
    scanTimeoutMs,
  );

  test.concurrent(
    'does not keep frames and styles of other origins from being scanned',
    async () => {
      const frames = await scan('/frames', 'sandbox');
      expect(countsOf(frames.violations)).toEqual({ 'image-alt': 1 });
      const styled = await scan('/foreign-style', 'sandbox');
      expect(countsOf(styled.violations)).toEqual({ 'color-contrast': 1, 'image-alt': 1 });
    },
    scanTimeoutMs,
  );
});

test.concurrent.each([
  ['a sandbox that allows scripts', 'sandbox allow-scripts', 'content-security-policy'],
  ['a policy that only reports', 'sandbox', 'content-security-policy-report-only'],
  ['a policy that names a sandbox elsewhere', 'report-to sandbox', 'content-security-policy'],
])(
  '%s gives no warning, and scripts run',
  async (_, policy, header) => {
    const { violations, warnings } = await scan('/script', policy, header);
    expect(countsOf(violations)).toEqual({ 'image-alt': 1 });
    expect(warnings).toEqual([]);
  },
  scanTimeoutMs,
);
