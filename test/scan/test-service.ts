import { setImmediate as turn } from 'node:timers/promises';
import { createAddressPolicy } from '../../src/browser/address-policy.ts';
import type { AxeRequest, PageScan, RunAxe } from '../../src/browser/run-axe.ts';
import { createLog } from '../../src/log.ts';
import { ScanQueue } from '../../src/scan/queue.ts';
import { type Scan, ScanService } from '../../src/scan/service.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createScanStore, type ScanStore } from '../../src/store/scan-store.ts';
import { scans } from '../../src/store/schema.ts';
import { rulesWith } from '../support/networks.ts';

export const startMs = Date.UTC(2026, 0, 1);

/** For those who never hang up. */
export const never = new AbortController().signal;

/** One run of the fake axe; it goes on until the test, or the abort of its signal, ends it. */
interface AxeRun {
  readonly request: AxeRequest;
  succeed(page?: Partial<PageScan>): void;
  fail(error: unknown): void;
}

/** Takes axe's and the browser's place. */
class FakeAxe {
  readonly runs: AxeRun[] = [];
  /** Whether runs end when their signal is aborted, as real ones do. */
  endsOnAbort = true;

  readonly runAxe: RunAxe = (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<PageScan>();
    const [url] = request.candidates;
    this.runs.push({
      request,
      succeed: (page) =>
        resolve({
          url: url.href,
          finalUrl: url.href,
          violations: [],
          incomplete: [],
          engineVersion: '4.14.1',
          rulesNotCompleted: [],
          warnings: [],
          closed: Promise.resolve(),
          ...page,
        }),
      fail: reject,
    });
    if (this.endsOnAbort) {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    }
    return promise;
  };

  get urls(): string[] {
    return this.runs.map(({ request }) => request.candidates[0].href);
  }

  /** Waits until the run with this number has begun. */
  async run(number = 0): Promise<AxeRun> {
    for (;;) {
      const run = this.runs[number];
      if (run !== undefined) return run;
      await turn();
    }
  }
}

interface TestServiceOptions {
  readonly concurrency?: number;
  readonly maxWaiting?: number;
  readonly deadlineMs?: number;
  readonly allowNetworks?: readonly string[];
  /** The database of a process that ended. */
  readonly database?: ReturnType<typeof openDatabase>;
  /** Replaces methods of the store. */
  readonly substitute?: (store: ScanStore) => Partial<ScanStore>;
}

/** The real service, queue and store, with a fake axe, clock and log. */
export function createTestService({
  concurrency = 2,
  maxWaiting = 10,
  deadlineMs = 60_000,
  allowNetworks = [],
  database = openDatabase(':memory:'),
  substitute = () => ({}),
}: TestServiceOptions = {}) {
  const axe = new FakeAxe();
  const clock = { ms: startMs };
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
  const realStore = createScanStore(database.db);
  const store = { ...realStore, ...substitute(realStore) };
  const queue = new ScanQueue({ concurrency, maxWaiting, deadlineMs });
  const service = new ScanService({
    store,
    queue,
    runAxe: axe.runAxe,
    addressPolicy: createAddressPolicy(rulesWith(allowNetworks)),
    log,
    now: () => clock.ms,
  });
  return {
    service,
    queue,
    axe,
    clock,
    lines,
    database,
    /** Starts a scan that is not waited for. */
    start: async (url: string): Promise<string> => (await service.scan(url, 0, never)).id,
    /** Everything stored, in the order in which it came. */
    stored: () => database.db.select().from(scans).orderBy(scans.createdAtMs, scans.id).all(),
    until: async (scanId: string, status: Scan['status']): Promise<Scan> => {
      for (;;) {
        const scan = service.find(scanId);
        if (scan.status === status) return scan;
        await turn();
      }
    },
  };
}
