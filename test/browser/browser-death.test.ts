import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { BrowserDiedError } from '../../src/errors.ts';
import { page, type PageServer, servePages, silence } from '../support/page-server.ts';
import { scanTimeoutMs, startBrowserStage } from './browser-stage.ts';
import { pidOf, profiles, renderersOf, untilGone } from './processes.ts';

let pages: PageServer;
let reached: PromiseWithResolvers<void>;
beforeAll(() => {
  pages = servePages(() => ({
    '/': page(),
    '/parsing': page('<script src="/silence"></script>'),
    '/waiting': page('<img alt="" src="/silence">'),
    '/silence': () => {
      reached.resolve();
      return silence();
    },
  }));
});
afterAll(() => pages[Symbol.asyncDispose]());

test.each(['/parsing', '/waiting', '/silence'])(
  'when the browser is killed while it scans %s, that scan says so at once and the next has a new browser',
  async (path) => {
    await using stage = await startBrowserStage();
    const first = await stage.chromium.lease();
    reached = Promise.withResolvers();
    const outcome = stage.fail(pages.origin + path);
    await reached.promise;
    const killedAt = performance.now();
    process.kill(pidOf(first), 'SIGKILL');
    expect(await outcome).toBeInstanceOf(BrowserDiedError);
    expect(performance.now() - killedAt).toBeLessThan(1_500);
    expect(first.isAlive()).toBe(false);

    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
    await untilGone(pidOf(first));
    const second = await stage.chromium.lease();
    expect(pidOf(second)).not.toBe(pidOf(first));
    await stage.chromium.close();
    expect(await profiles()).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'closing the browser ends a scan that is running',
  async () => {
    await using stage = await startBrowserStage();
    reached = Promise.withResolvers();
    const outcome = stage.fail(`${pages.origin}/waiting`);
    await reached.promise;
    await stage.chromium.close();
    expect(await outcome).toBeInstanceOf(BrowserDiedError);
  },
  scanTimeoutMs,
);

test(
  'a browser that stops answering is killed, its scan says so, and the next has a new one',
  async () => {
    await using stage = await startBrowserStage({ heartbeat: { intervalMs: 200, silentMs: 400 } });
    // Takes longer than the first heartbeats.
    await stage.scan(`${pages.origin}/`);
    const lease = await stage.chromium.lease();
    reached = Promise.withResolvers();
    const outcome = stage.fail(`${pages.origin}/waiting`);
    await reached.promise;
    process.kill(-pidOf(lease), 'SIGSTOP');
    expect(await outcome).toBeInstanceOf(BrowserDiedError);
    await untilGone(pidOf(lease));
    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'a browser that has stopped is killed when a scan in it is aborted, and the next scan has a new one',
  async () => {
    await using stage = await startBrowserStage();
    const lease = await stage.chromium.lease();
    reached = Promise.withResolvers();
    const abort = new AbortController();
    const outcome = stage.scan(`${pages.origin}/waiting`, abort.signal);
    await reached.promise;
    process.kill(-pidOf(lease), 'SIGSTOP');
    abort.abort(new Error('enough'));
    expect(await outcome.catch((error: unknown) => error)).toBe(abort.signal.reason);
    await untilGone(pidOf(lease));
    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'a renderer that does not end with its scan is killed, and no other is',
  async () => {
    await using stage = await startBrowserStage();
    await using egress = await stage.openEgress();
    const first = await stage.chromium.lease();
    const second = await stage.chromium.lease(egress.url);
    const pid = pidOf(first);
    const tab = await second.context.newPage();
    const before = await renderersOf(pid);
    await first.context.newPage();
    const stray = (await renderersOf(pid)).find((each) => !before.includes(each));
    if (stray === undefined) throw new Error('the page has no renderer');
    process.kill(stray, 'SIGSTOP');
    await first[Symbol.asyncDispose]();
    // A process that waits for its parent counts too.
    while (existsSync(`/proc/${stray}`)) await new Promise((go) => setImmediate(go));
    await tab.goto(`${pages.origin}/`);
    expect(await tab.title()).toBe('A page');
    expect(second.isAlive()).toBe(true);
  },
  scanTimeoutMs,
);

test(
  'where the renderer of a page that waits for its scan is killed, the scan has another page',
  async () => {
    await using stage = await startBrowserStage();
    await stage.scan(`${pages.origin}/`);
    const lease = await stage.chromium.lease();
    const browser = lease.context.browser();
    const contexts = browser.browserContexts().length;
    for (const renderer of await renderersOf(pidOf(lease))) process.kill(renderer, 'SIGKILL');
    while (browser.browserContexts().length === contexts)
      await new Promise((go) => setImmediate(go));
    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'a browser that dies takes with it a renderer that has stopped',
  async () => {
    await using stage = await startBrowserStage();
    const lease = await stage.chromium.lease();
    const pid = pidOf(lease);
    await lease.context.newPage();
    for (const renderer of await renderersOf(pid)) process.kill(renderer, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
  },
  scanTimeoutMs,
);
