import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BrowserDiedError } from '../../src/errors.ts';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { startBrowserStage } from './browser-stage.ts';
import { pidOf } from './processes.ts';

let pages: PageServer;
let flooding: PromiseWithResolvers<void>;
beforeAll(() => {
  pages = servePages(() => ({
    '/': page(),
    '/flood': page(`<script>
      fetch('/flooding').then(() => setInterval(() => {
        for (let i = 0; i < 1_000; i += 1) Promise.reject(new Error('x'));
      }, 1));
    </script>`),
    '/flooding': () => {
      flooding.resolve();
      return new Response('');
    },
  }));
});
afterAll(() => pages[Symbol.asyncDispose]());

test('a page that floods the browser with errors costs its neighbours that browser, and the next ones nothing', async () => {
  await using stage = await startBrowserStage({ navigationTimeoutMs: 5_000 });
  // Holds a place in the browser, however quick the flood is.
  const neighbour = await stage.chromium.lease();
  flooding = Promise.withResolvers();
  expect(await stage.fail(`${pages.origin}/flood`)).toBeInstanceOf(BrowserDiedError);
  expect(neighbour.isAlive()).toBe(false);

  let isOver = false;
  flooding = Promise.withResolvers();
  const again = stage.fail(`${pages.origin}/flood`).finally(() => (isOver = true));
  await flooding.promise;
  for (let scan = 0; scan < 5; scan += 1) {
    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
  }
  expect(isOver).toBe(false);
  // What the browser is too busy to read takes memory, which may reach its bound first.
  expect((await again).code).toBeOneOf(['page-unresponsive', 'page-crashed']);
}, 60_000);

test('a page that floods a browser in which it is alone is kept apart from those that come', async () => {
  const replaced = Promise.withResolvers<void>();
  await using stage = await startBrowserStage({
    onLog: (line) => {
      if (line.includes('browser replaced')) replaced.resolve();
    },
  });
  const before = await stage.chromium.lease();
  await before[Symbol.asyncDispose]();
  const abort = new AbortController();
  const guilty = stage.scan(`${pages.origin}/flood`, abort.signal);
  await replaced.promise;
  await using next = await stage.chromium.lease();
  expect(pidOf(next)).not.toBe(pidOf(before));
  expect(before.isAlive()).toBe(true);
  abort.abort(new Error('enough'));
  expect(await guilty.catch((error: unknown) => error)).toBe(abort.signal.reason);
}, 60_000);
