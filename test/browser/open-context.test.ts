import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { EgressProxy } from '../../src/browser/egress-proxy.ts';
import { page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

let stage: BrowserStage;
let egress: EgressProxy;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  egress = await stage.openEgress();
  pages = servePages(() => ({ '/': page() }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
  await egress[Symbol.asyncDispose]();
});

test.each(['geolocation', 'notifications', 'camera', 'microphone', 'persistent-storage', 'midi'])(
  'a page is denied what it would have to ask its visitor for: %s',
  async (name) => {
    await using lease = await stage.chromium.lease(egress.url);
    const tab = await lease.context.newPage();
    for (const origin of [pages.origin, pages.otherOrigin]) {
      await tab.goto(`${origin}/`);
      const query = { name: name as PermissionName };
      const state = await tab.evaluate(
        async (asked) => (await navigator.permissions.query(asked)).state,
        query,
      );
      expect(state).toBe('denied');
    }
  },
  scanTimeoutMs,
);

test(
  'a page without a proxy of its own reaches nothing',
  async () => {
    await using lease = await stage.chromium.lease();
    const tab = await lease.context.newPage();
    const failure = await tab.goto(`${pages.origin}/`).catch((error: unknown) => error);
    expect(String(failure)).toContain('ERR_PROXY_CONNECTION_FAILED');
  },
  scanTimeoutMs,
);
