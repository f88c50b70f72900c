import { availableParallelism, totalmem } from 'node:os';
import { Elysia } from 'elysia';
import manifest from '../package.json' with { type: 'json' };
import { createAddressPolicy } from './browser/address-policy.ts';
import { Chromium } from './browser/chromium.ts';
import { EgressProxy } from './browser/egress-proxy.ts';
import { findChromium } from './browser/find-chromium.ts';
import { PagePool } from './browser/page-pool.ts';
import { resolveBySystem } from './browser/resolve-target.ts';
import { createRunAxe, type RunAxe } from './browser/run-axe.ts';
import { within } from './browser/time-limit.ts';
import type { Config } from './config.ts';
import { createClientKey } from './http/client-key.ts';
import { cors } from './http/cors.ts';
import { docs } from './http/docs.ts';
import { health } from './http/health.ts';
import { problems } from './http/problem.ts';
import { legacyFields, publicScan } from './http/public-scan.ts';
import { rateLimits } from './http/rate-limit.ts';
import { reportOf } from './http/scan-answer.ts';
import { scans } from './http/scans.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createWaitForScan, idleTimeoutSeconds } from './http/wait-for-scan.ts';
import { createLog, type Log } from './log.ts';
import { createRateLimiter } from './rate-limit/limiter.ts';
import { AxeGate } from './scan/axe-gate.ts';
import { capacityOf } from './scan/capacity.ts';
import { ScanQueue } from './scan/queue.ts';
import { ScanService } from './scan/service.ts';
import { openDatabase } from './store/database.ts';
import { lockDatabase } from './store/database-lock.ts';
import { loadPartitionSecret } from './store/partition-secret.ts';
import { createRateCounterStore } from './store/rate-counter-store.ts';
import { startRetention } from './store/retention.ts';
import { createScanStore } from './store/scan-store.ts';

/*
 * Puts the stages together: store, browser, queue, service, controllers. What is opened here is
 * closed here, in the reverse order.
 */

interface Substitutes {
  /** Takes the browser's place in tests. */
  readonly runAxe?: RunAxe;
  readonly now?: () => number;
  readonly log?: Log;
}

/** Docker gives a container ten seconds to stop. */
const shutdownGraceMs = 6_000;
/** For answers that are on their way out. */
const flushMs = 500;

/**
 * Opens the database, and finds and starts a browser. Close the app when done with it. Throws when
 * one of these can't be had.
 */
export async function createApp(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  { runAxe, now = Date.now, log = createLog(config.log.level) }: Substitutes = {},
) {
  const lock = lockDatabase(config.store.databasePath);
  const database = openDatabase(config.store.databasePath);
  const store = createScanStore(database.db);
  const limiter = createRateLimiter({ store: createRateCounterStore(database.db), now });
  const partitionSecret = loadPartitionSecret(config.store.databasePath);

  const addressPolicy = createAddressPolicy(config.browser.egress);
  const capacity = capacityOf(availableParallelism(), memoryBytes());
  const concurrency = config.scan.concurrency || capacity.concurrency;
  const queue = new ScanQueue({ ...config.scan, concurrency });
  let chromium: Chromium | undefined;
  let pool: PagePool | undefined;
  if (runAxe === undefined) {
    chromium = new Chromium({
      binary: await findChromium({ executablePath: config.browser.executablePath, environment }),
      productToken: `Curbcut/${manifest.version} (+${config.http.docsUrl})`,
      log,
      // What else runs here needs some too.
      maxPagesBytes: memoryBytes() / 2,
    });
    await chromium.start();
    const openEgress = () =>
      EgressProxy.start({ addressPolicy, resolveHost: resolveBySystem, log });
    pool = new PagePool({ chromium, openEgress });
    const axeGate = new AxeGate({
      concurrency: capacity.axeConcurrency,
      onCrowded: (isCrowded) => queue.hold(isCrowded),
    });
    runAxe = createRunAxe({
      pool,
      gate: (work, signal) => axeGate.run(work, signal),
      navigationTimeoutMs: config.browser.navigationTimeoutMs,
      axeTimeoutMs: config.browser.axeTimeoutMs,
    });
  }

  const service = new ScanService({ store, queue, runAxe, addressPolicy, log, now });

  const { policies } = config.http;
  const retention = startRetention({
    pruners: [
      () => store.pruneEndedBefore(now() - config.store.retentionMs),
      () => limiter.pruneExpired(Object.values(policies).filter((policy) => policy !== null)),
    ],
    reclaimSpace: () => database.reclaimSpace(),
    onError: (error) => log.error('what is too old could not be deleted', { error }),
  });

  const clientKey = createClientKey({
    trustedProxies: config.http.trustedProxies,
    partitionSecret,
  });
  const limits = rateLimits({ limiter, policies, clientKey });
  const waitForScan = createWaitForScan({ service, queue, clientKey });
  // A client may name a Host of one letter; by default Elysia looks for the path behind the fourth.
  const elysia = new Elysia({
    strictPath: true,
    handler: { standardHostname: false },
    // The answers are made of what they hold; nothing needs to be taken away.
    normalize: false,
  })
    .use(securityHeaders(config.http))
    // CORS answers preflights itself, which are to tell the limits, and refusals need its fields.
    .use(limits.count)
    .use(cors())
    .use(legacyFields())
    .use(limits.refuse)
    .use(problems({ docsUrl: config.http.docsUrl, log }))
    .use(scans({ service, waitForScan, ...config.http }))
    .use(publicScan({ waitForScan, ...config.http }))
    .use(
      health({
        assertOpen: () => service.assertOpen(),
        browserProblem: () => chromium?.problem() ?? null,
        databaseProblem: () => database.problem(),
      }),
    )
    .use(docs({ version: manifest.version, ...config.http }));

  const close = async (): Promise<void> => {
    // Stops accepting at once; connections end when their answers are out.
    const stopped = elysia.server?.stop();
    // What can't be stored by then is left to the next process.
    await within(shutdownGraceMs + flushMs, service.close(shutdownGraceMs)).catch(() => {});
    // A client that never finishes its request would hold this up.
    await within(flushMs, Promise.resolve(stopped)).catch(() => {});
    await elysia.server?.stop(true);
    retention.stop();
    await pool?.drop();
    await chromium?.close();
    database.close();
    lock.close();
  };

  return {
    /** Answers a request as the server would, without a socket. */
    handle: (request: Request): Promise<Response> => elysia.handle(request),
    /** Scans one page, and gives the elements too. Throws what the API answers as problem details. */
    async scanNow(url: string, signal: AbortSignal) {
      const scan = await service.scan(url, Infinity, signal);
      return { report: reportOf(scan), findings: store.readFindings(scan.id) };
    },
    /** Takes requests, and takes up unfinished scans. Returns the port. */
    listen(): number {
      elysia.listen({
        ...config.server,
        idleTimeout: idleTimeoutSeconds,
        // Elysia would share the port with another service.
        reusePort: false,
        // It would show its source where an error escapes.
        development: false,
        // Over its limit Bun answers by itself, without problem details; unread bodies are not kept.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      });
      // Not before the port is taken: who can't have it takes up nothing.
      service.recover();
      return elysia.server?.port ?? config.server.port;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Of the machine, or of the container. */
function memoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
