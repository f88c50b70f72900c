import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { BrowserDiedError } from '../../src/errors.ts';
import { page, type PageServer, servePages, silence } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';
import { membersOf, pidOf, residentBytesOf } from './processes.ts';

/** Is still being parsed when it has taken too much. */
const runs = (script: string) => page(`<script>${script}</script><script src="/silence"></script>`);
const fill = 'const held = []; const fill = () => held.push(new Uint8Array(2 ** 25).fill(1));';
const inWorker = (source: string) =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])));`;

const bombs = {
  buffers: `${fill} setInterval(fill);`,
  'buffers of a worker': inWorker(`${fill} setInterval(fill);`),
  'messages to a worker that does not listen': `const worker = ${inWorker('for (;;);')} const data = new Uint8Array(2 ** 25).fill(1); setInterval(() => worker.postMessage(data));`,
  'WebAssembly memory': `const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
    setInterval(() => { const end = memory.grow(500) * 65536; new Uint8Array(memory.buffer, end).fill(1); });`,
  'image data': `const held = []; setInterval(() => {
    const image = new ImageData(4096, 4096); image.data.fill(1); held.push(image); });`,
  canvases: `setInterval(() => {
    const canvas = document.createElement('canvas'); canvas.width = canvas.height = 4096;
    canvas.getContext('2d').fillRect(0, 0, 4096, 4096); document.body.append(canvas); });`,
  'audio buffers': `const held = []; const audio = new OfflineAudioContext(1, 1, 44100); setInterval(() => {
    const buffer = audio.createBuffer(1, 2 ** 23, 44100); buffer.getChannelData(0).fill(1); held.push(buffer); });`,
  arrays: `const held = []; setInterval(() => held.push(new Array(2 ** 21).fill(1.5)));`,
};

let stage: BrowserStage;
let pages: PageServer;
let neighbour: PromiseWithResolvers<void>;
let crashed: PromiseWithResolvers<void>;
beforeAll(() => {
  pages = servePages(() => ({
    ...Object.fromEntries(
      Object.entries(bombs).map(([name, script]) => [`/${encodeURIComponent(name)}`, runs(script)]),
    ),
    '/under': page(`<script>${fill} for (let i = 0; i < 22; i += 1) fill();</script>`),
    '/blobs': runs(
      'const data = new Uint8Array(2 ** 25).fill(1); const held = []; setInterval(() => held.push(new Blob([data])));',
    ),
    '/silence': silence,
    '/fine': page(),
    '/neighbour': page('<script src="/held"></script>'),
    '/held': async () => {
      neighbour.resolve();
      await crashed.promise;
      return new Response('');
    },
  }));
});
afterAll(() => pages[Symbol.asyncDispose]());
beforeEach(async () => {
  stage = await startBrowserStage();
  neighbour = Promise.withResolvers();
  crashed = Promise.withResolvers();
});
afterEach(() => stage[Symbol.asyncDispose]());

describe('a page that takes ever more memory crashes, and its neighbour does not notice:', () => {
  test.each(Object.keys(bombs))(
    '%s',
    async (name) => {
      await using lease = await stage.chromium.lease();
      const other = stage.scan(`${pages.origin}/neighbour`);
      await neighbour.promise;
      const { code } = await stage.fail(`${pages.origin}/${encodeURIComponent(name)}`);
      expect(code).toBe('page-crashed');
      crashed.resolve();
      expect((await other).violations).toEqual([]);
      expect(lease.isAlive()).toBe(true);
      const resident = await Promise.all((await membersOf(pidOf(lease))).map(residentBytesOf));
      expect(Math.max(...resident)).toBeLessThan(2 ** 29);
    },
    scanTimeoutMs,
  );
});

test(
  'the JavaScript objects of a page may take half a gigabyte',
  async () => {
    await using lease = await stage.chromium.lease();
    const tab = await lease.context.newPage();
    const limit = await tab.evaluate('performance.memory.jsHeapSizeLimit');
    // V8 adds what it keeps for new objects.
    expect(limit).toBeGreaterThan(500_000_000);
    expect(limit).toBeLessThan(700_000_000);
  },
  scanTimeoutMs,
);

test(
  'a page that takes three quarters of a gigabyte is scanned',
  async () => {
    expect((await stage.scan(`${pages.origin}/under`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'a page that makes the browser itself grow costs it the browser, and is told so when it was alone',
  async () => {
    const { code, message } = await stage.fail(`${pages.origin}/blobs`);
    expect(code).toBe('page-crashed');
    expect(message).toContain('blobs');
    expect((await stage.scan(`${pages.origin}/fine`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'pages that were in such a browser together each get one of their own when they come again',
  async () => {
    const urls = [`${pages.origin}/neighbour`, `${pages.origin}/blobs`] as const;
    const outcomes = await Promise.all(urls.map((url) => stage.fail(url)));
    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(BrowserDiedError);

    neighbour = Promise.withResolvers();
    const [other, guilty] = [stage.scan(urls[0]), stage.fail(urls[1])];
    await neighbour.promise;
    expect((await guilty).code).toBe('page-crashed');
    crashed.resolve();
    expect((await other).violations).toEqual([]);
    await using first = await stage.chromium.lease();
    await using second = await stage.chromium.lease();
    expect(pidOf(first)).toBe(pidOf(second));
  },
  scanTimeoutMs,
);
