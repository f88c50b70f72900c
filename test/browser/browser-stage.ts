import type { Result } from 'axe-core';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PQueue from 'p-queue';
import type { Page } from 'puppeteer';
import { createAddressPolicy } from '../../src/browser/address-policy.ts';
import { Chromium } from '../../src/browser/chromium.ts';
import { type EgressLimits, EgressProxy } from '../../src/browser/egress-proxy.ts';
import { type ChromiumBinary, findChromium } from '../../src/browser/find-chromium.ts';
import type { HeartbeatTimes } from '../../src/browser/heartbeat.ts';
import { PagePool } from '../../src/browser/page-pool.ts';
import { resolveBySystem, type ResolveHost } from '../../src/browser/resolve-target.ts';
import { createRunAxe, type Gate, type PageScan } from '../../src/browser/run-axe.ts';
import { ScanFailedError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { rulesWith } from '../support/networks.ts';

export const scanTimeoutMs = 30_000;
export const productToken = 'Curbcut/0.0.0 (+https://curbcut.test/docs)';

/** The browser stage as the service puts it together, on a real browser of its own. */
export interface BrowserStage extends AsyncDisposable {
  readonly chromium: Chromium;
  readonly pool: PagePool;
  readonly openEgress: () => Promise<EgressProxy>;
  /** Scans the first of the URLs that can be reached. */
  scan(urls: string | [string, ...string[]], signal?: AbortSignal): Promise<PageScan>;
  /** Scans a page that gives no report, and returns why. */
  fail(urls: string | [string, ...string[]], signal?: AbortSignal): Promise<ScanFailedError>;
}

export async function startBrowserStage({
  navigationTimeoutMs = 10_000,
  axeTimeoutMs = 20_000,
  allowNetworks = ['127.0.0.0/8', '::1/128'],
  allowHosts = [],
  resolveHost = resolveBySystem,
  limits = {},
  // More would make a page slow enough to be taken for one that never finishes.
  maxConcurrentScans = 4,
  maxScans,
  heartbeat,
  binary,
  onLog = () => {},
}: {
  navigationTimeoutMs?: number;
  axeTimeoutMs?: number;
  allowNetworks?: string[];
  allowHosts?: string[];
  resolveHost?: ResolveHost;
  limits?: Partial<EgressLimits>;
  maxConcurrentScans?: number;
  maxScans?: number;
  heartbeat?: Partial<HeartbeatTimes>;
  binary?: ChromiumBinary;
  onLog?: (line: string) => void;
} = {}): Promise<BrowserStage> {
  const log = createLog('info', onLog);
  const chromium = new Chromium({
    binary: binary ?? (await findChromium({ environment: process.env })),
    productToken,
    log,
    ...(maxScans === undefined ? {} : { maxScans }),
    ...(heartbeat === undefined ? {} : { heartbeat }),
  });
  await chromium.start();
  const addressPolicy = createAddressPolicy({ ...rulesWith(allowNetworks), allowHosts });
  const openEgress = () => EgressProxy.start({ addressPolicy, resolveHost, log, limits });
  const pool = new PagePool({ chromium, openEgress });
  const gate: Gate = (work) => work();
  const runAxe = createRunAxe({ pool, gate, navigationTimeoutMs, axeTimeoutMs });
  const queue = new PQueue({ concurrency: maxConcurrentScans });
  const scan: BrowserStage['scan'] = (urls, signal = new AbortController().signal) => {
    const [first, ...others] = [urls].flat();
    if (first === undefined) throw new Error('no URL to scan');
    const candidates = [new URL(first), ...others.map((url) => new URL(url))] as const;
    return queue.add(async () => {
      const page = await runAxe({ candidates, signal });
      await page.closed;
      return page;
    });
  };
  return {
    chromium,
    pool,
    openEgress,
    scan,
    fail: async (urls, signal) => {
      const outcome: unknown = await scan(urls, signal).catch((error: unknown) => error);
      if (outcome instanceof ScanFailedError) return outcome;
      throw new Error(`not a failed scan: ${JSON.stringify(outcome)}`, { cause: outcome });
    },
    [Symbol.asyncDispose]: async () => {
      await pool.drop();
      await chromium.close();
    },
  };
}

/**
 * The same browser, made to run each site's frames in a process of their own. A full Chrome always
 * does; the packaged headless shell needs to be told.
 */
export async function sitePerProcess(): Promise<ChromiumBinary & AsyncDisposable> {
  const binary = await findChromium({ environment: process.env });
  const folder = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  const executablePath = join(folder, 'chromium');
  await Bun.write(
    executablePath,
    `#!/bin/sh\nexec '${binary.executablePath}' --site-per-process "$@"\n`,
  );
  await chmod(executablePath, 0o755);
  // Started as root, the browser is given to another user.
  await chmod(folder, 0o755);
  return {
    ...binary,
    executablePath,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Loads the URL in a context of its own, which ends with what is done there. */
export async function visit<Found>(
  { chromium, openEgress }: BrowserStage,
  url: string,
  look: (page: Page) => Promise<Found>,
): Promise<Found> {
  await using egress = await openEgress();
  await using lease = await chromium.lease(egress.url);
  const page = await lease.context.newPage();
  await page.goto(url);
  return await look(page);
}

/** Affected elements by rule. */
export function countsOf(results: PageScan['violations']): Record<string, number> {
  return Object.fromEntries(results.map(({ id, nodeCount }) => [id, nodeCount]));
}

/** The selectors of each affected element, by rule. */
export function targetsOf(results: readonly Result[]): Record<string, unknown[]> {
  return Object.fromEntries(
    results.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]),
  );
}
