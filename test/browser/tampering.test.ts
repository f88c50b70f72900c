import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage, targetsOf } from './browser-stage.ts';

/** Markup with something for axe to find: in the page, in a shadow tree, in a frame. */
const faulty = `
  <img id="lamp" src="data:,"><button></button><p style="color: #ddd">Faint</p>
  <div role="checkbox" tabindex="0" aria-checked="maybe">Yes</div><ul><li>one</li></ul>
  <div id="host"><template shadowrootmode="open"><img src="data:,"></template></div>
  <iframe title="a" srcdoc="<!doctype html><html lang=en><title>b</title><a href=/></a>"></iframe>`;

/** Run before anything else in the page. */
const scripts: Record<string, string> = {
  'an axe of its own':
    'window.axe = { run: () => Promise.resolve({ violations: [], incomplete: [] }), version: "1" }; Object.freeze(window.axe);',
  'an axe that cannot be replaced':
    'Object.defineProperty(window, "axe", { value: null, writable: false, configurable: false });',
  'an AMD loader': 'window.define = () => { throw 0; }; window.define.amd = {};',
  'CommonJS names':
    'window.module = { exports: {} }; window.exports = {}; window.require = () => {};',
  'frozen prototypes':
    'for (const C of [Object, Array, Function, String, Promise, Element, Node, Document]) { Object.freeze(C); Object.freeze(C.prototype); }',
  'patched JSON': 'JSON.stringify = () => "{}"; JSON.parse = () => { throw 0; };',
  'a patched Promise':
    'Promise.prototype.then = function () { return this; }; window.Promise = class { constructor() { throw 0; } };',
  'patched messages':
    'window.postMessage = () => {}; addEventListener("message", (e) => e.stopImmediatePropagation(), true);',
  'patched arrays':
    'for (const name of ["map", "filter", "forEach", "find", "push", "includes"]) Array.prototype[name] = () => [];',
  'patched strings':
    'String.prototype.split = () => []; String.prototype.replace = () => ""; RegExp.prototype.test = () => false;',
  'a patched MutationObserver':
    'window.MutationObserver = class { constructor() { throw 0; } }; window.performance.now = () => NaN;',
  'a stopped clock':
    'Date.now = () => 0; Performance.prototype.now = () => 0; window.setTimeout = () => 0; window.queueMicrotask = () => {};',
  'patched queries':
    'for (const C of [Document, Element]) { C.prototype.querySelectorAll = () => []; C.prototype.querySelector = () => null; C.prototype.matches = () => false; }',
  'patched DOM accessors':
    'for (const [o, k, v] of [[Document, "fonts", null], [Document, "readyState", "loading"], [Document, "body", null], [Node, "childNodes", []], [Element, "attributes", []], [Element, "shadowRoot", null]]) Object.defineProperty(o.prototype, k, { get: () => v });',
  'patched styles':
    'window.getComputedStyle = () => ({ display: "none" }); Element.prototype.getBoundingClientRect = () => ({});',
  'a getter on Object.prototype':
    'Object.defineProperty(Object.prototype, "violations", { get: () => [], set: () => {} });',
};

/** Elements whose ids and names become properties of the window and the document. */
const markups: Record<string, string> = {
  'ids that are module names':
    '<form id="module"><input type="hidden" name="exports"></form><form id="define"><input type="hidden" name="amd"></form><form id="exports"></form><form id="require"></form>',
  'ids that are names of axe and of ours':
    '<form id="axe"><input type="hidden" name="run"></form><form id="curbcutLastMutationAt"></form><form id="curbcutMainPart"></form>',
  'ids that are globals':
    '<form id="performance"></form><form id="MutationObserver"></form><form id="JSON"></form><form id="setTimeout"></form><form id="document"></form>',
  'forms named like parts of the document': [
    'querySelector',
    'querySelectorAll',
    'documentElement',
    'createElement',
    'getElementById',
    'styleSheets',
    'activeElement',
    'defaultView',
    'elementsFromPoint',
  ]
    .map((name) => `<form name="${name}"></form>`)
    .join(''),
  'images named like parts of the document': ['body', 'fonts', 'readyState', 'head', 'title']
    .map((name) => `<img alt="" name="${name}" src="data:,">`)
    .join(''),
  'a form with fields named like parts of an element': [
    'id',
    'name',
    'title',
    'children',
    'attributes',
    'ownerDocument',
    'contains',
  ].reduce((form, name) => `${form}<input type="hidden" name="${name}">`, '<form>'),
};

let stage: BrowserStage;
let pages: PageServer;
let untampered: Record<string, unknown[]>;
beforeAll(async () => {
  stage = await startBrowserStage();
  const tampering = new Map<string, string>([
    ...Object.entries(scripts).map(([name, script]): [string, string] => [
      name,
      page(faulty, `<script>try { ${script} } catch {}</script>`),
    ]),
    // At the end, so that the selectors stay what they are.
    ...Object.entries(markups).map(([name, markup]): [string, string] => [
      name,
      page(faulty).replace('</main>', `</main>${markup}`),
    ]),
  ]);
  pages = servePages(() => ({
    '/': page(faulty),
    '/form-without-node-name': page(`<form><input type="hidden" name="nodeName"></form>`),
    '/tampering': (request) =>
      new Response(tampering.get(new URL(request.url).searchParams.get('with') ?? ''), {
        headers: { 'content-type': 'text/html' },
      }),
  }));
  untampered = targetsOf((await stage.scan(`${pages.origin}/`)).violations);
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test.concurrent('the page without tampering has findings in its tree, its shadow tree and its frame', () => {
  expect(Object.keys(untampered).toSorted()).toEqual([
    'aria-valid-attr-value',
    'button-name',
    'color-contrast',
    'image-alt',
    'link-name',
  ]);
});

describe('the findings do not change with', () => {
  test.concurrent.each(Object.keys({ ...scripts, ...markups }))(
    '%s',
    async (name) => {
      const query = new URLSearchParams({ with: name }).toString();
      const { violations, warnings } = await stage.scan(`${pages.origin}/tampering?${query}`);
      expect(targetsOf(violations)).toEqual(untampered);
      expect(warnings).toEqual([]);
    },
    scanTimeoutMs,
  );
});

test.concurrent(
  'a form whose field hides its name from axe-core gives no report rather than a wrong one',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/form-without-node-name`);
    expect(code).toBe('dom-clobbered');
    expect(message).toContain('the name or id nodeName');
  },
  scanTimeoutMs,
);
