import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { createAddressPolicy } from '../../src/browser/address-policy.ts';
import { Chromium } from '../../src/browser/chromium.ts';
import { EgressProxy } from '../../src/browser/egress-proxy.ts';
import { type ChromiumBinary, findChromium } from '../../src/browser/find-chromium.ts';
import { BrowserDiedError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { rulesWith } from '../support/networks.ts';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { scanTimeoutMs, startBrowserStage } from './browser-stage.ts';
import { countProcesses, pidOf, profiles, renderersOf, untilGone } from './processes.ts';

let binary: ChromiumBinary;
let pages: PageServer;
let egress: EgressProxy;
let logLines: string[];
beforeAll(async () => {
  binary = await findChromium({ environment: process.env });
  egress = await EgressProxy.start({
    addressPolicy: createAddressPolicy(rulesWith(['127.0.0.0/8'])),
    resolveHost: () => Promise.reject(new Error('no names here')),
    log: createLog('silent'),
  });
  pages = servePages(() => ({
    '/': page(),
    '/cookie': ({ headers }) =>
      htmlResponse(page(headers.get('cookie') ?? 'none'), { 'set-cookie': 'visited=yes' }),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await egress[Symbol.asyncDispose]();
  await pages[Symbol.asyncDispose]();
});
beforeEach(() => {
  logLines = [];
});

function createChromium(changes: { maxScans?: number; binary?: ChromiumBinary } = {}) {
  const log = createLog('info', (line) => logLines.push(JSON.parse(line).message));
  const chromium = new Chromium({ binary, productToken: 'Curbcut/0', log, ...changes });
  return Object.assign(chromium, { [Symbol.asyncDispose]: () => chromium.close() });
}

test(
  'leases that are asked for at once share one browser, and each has cookies of its own',
  async () => {
    await using chromium = createChromium();
    const leases = await Promise.all([1, 2, 3].map(() => chromium.lease(egress.url)));
    expect(new Set(leases.map(pidOf)).size).toBe(1);
    expect(logLines).toEqual(['browser started']);
    for (const { context } of leases) {
      const tab = await context.newPage();
      await tab.goto(`${pages.origin}/cookie`);
      expect(await tab.evaluate(() => document.body.innerText)).toContain('none');
    }
    expect((await leases[0]?.context.cookies())?.map(({ name }) => name)).toEqual(['visited']);
  },
  scanTimeoutMs,
);

test(
  'a lease that ends takes its pages with it',
  async () => {
    await using chromium = createChromium();
    const lease = await chromium.lease(egress.url);
    const browser = lease.context.browser();
    const before = (await browser.pages()).length;
    const tab = await lease.context.newPage();
    await tab.goto(`${pages.origin}/`);
    expect(await browser.pages()).toHaveLength(before + 1);

    await lease[Symbol.asyncDispose]();
    expect(await browser.pages()).toHaveLength(before);
    expect(browser.browserContexts()).toHaveLength(1);
    expect(lease.isAlive()).toBe(true);
  },
  scanTimeoutMs,
);

test(
  'after close, no process and no profile is left, even if a lease was open',
  async () => {
    const chromium = createChromium();
    await chromium.start();
    const lease = await chromium.lease(egress.url);
    await (await lease.context.newPage()).goto(`${pages.origin}/`);
    const pid = pidOf(lease);
    expect(await countProcesses(pid)).toBeGreaterThan(1);
    expect(await profiles()).toHaveLength(1);

    await chromium.close();
    await untilGone(pid);
    expect(await profiles()).toEqual([]);
    expect(lease.isAlive()).toBe(false);
    await lease[Symbol.asyncDispose]();
  },
  scanTimeoutMs,
);

test(
  'a browser that cannot be started gives BrowserDiedError and leaves no profile',
  async () => {
    await using chromium = createChromium({ binary: { ...binary, executablePath: '/bin/false' } });
    const outcome = await chromium.start().catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(BrowserDiedError);
    expect(await profiles()).toEqual([]);
    expect(await chromium.lease(egress.url).catch((error: unknown) => error)).toBeInstanceOf(
      BrowserDiedError,
    );
  },
  scanTimeoutMs,
);

test(
  'the browser is replaced after so many scans, and goes when its last lease has ended',
  async () => {
    await using chromium = createChromium({ maxScans: 2 });
    const first = await chromium.lease(egress.url);
    const second = await chromium.lease(egress.url);
    const third = await chromium.lease(egress.url);
    expect(pidOf(second)).toBe(pidOf(first));
    expect(pidOf(third)).not.toBe(pidOf(first));

    await second[Symbol.asyncDispose]();
    const tab = await first.context.newPage();
    expect((await tab.goto(`${pages.origin}/`))?.status()).toBe(200);
    const [oldPid, newPid] = [pidOf(first), pidOf(third)];
    await first[Symbol.asyncDispose]();
    await untilGone(oldPid);
    expect(await countProcesses(newPid)).toBeGreaterThan(0);
    expect(await profiles()).toHaveLength(1);
  },
  scanTimeoutMs,
);

test(
  'the browser is replaced once, however many leases come at once',
  async () => {
    await using chromium = createChromium({ maxScans: 2 });
    await Promise.all([
      chromium.lease(egress.url),
      chromium.lease(egress.url),
      chromium.lease(egress.url),
      chromium.lease(egress.url),
    ]);
    await chromium.lease(egress.url);
    expect(logLines).toEqual(['browser started', 'browser replaced', 'browser started']);
  },
  scanTimeoutMs,
);

test(
  'pages run at a lower priority than the service, which is to answer while they keep the machine busy',
  async () => {
    await using stage = await startBrowserStage();
    await using lease = await stage.chromium.lease();
    await lease.openPage();
    const pids = [pidOf(lease), ...(await renderersOf(pidOf(lease)))];
    expect(pids.length).toBeGreaterThan(1);
    expect(new Set(pids.map((pid) => getPriority(pid)))).toEqual(new Set([getPriority() + 5]));
  },
  scanTimeoutMs,
);
