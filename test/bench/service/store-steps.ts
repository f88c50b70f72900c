import { createRateLimiter } from '../../../src/rate-limit/limiter.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createRateCounterStore } from '../../../src/store/rate-counter-store.ts';
import { createScanStore } from '../../../src/store/scan-store.ts';
import { median } from './processes.ts';
import { lastHourOf, sampleIds, sampleResult } from './seed.ts';

/*
 * A process of its own: takes the steps of the store on a database, one after the other, and prints
 * as JSON how many microseconds each took (the median).
 */

const path = (await Bun.stdin.json()) as string;
const perHour = { name: 'scan-post', quota: 10, windowSeconds: 3_600 };
const perDay = { name: 'scan-total', quota: 100, windowSeconds: 86_400 };

const ids = sampleIds(path, 2_000);
const before = lastHourOf(path);
const openedAt = performance.now();
const database = openDatabase(path);
const openMs = performance.now() - openedAt;
const scans = createScanStore(database.db);
const counters = createRateCounterStore(database.db);
const limiter = createRateLimiter({ store: counters });
for (let index = 0; index < perDay.quota; index += 1) limiter.consume('exhausted', [perDay]);

const created: string[] = [];
const steps: Record<string, { times: number; take: (index: number) => unknown }> = {
  'limiter admits': {
    times: 500,
    take: (index) => limiter.consume(`${Date.now()}-${index}`, [perHour, perDay]),
  },
  'limiter refuses': { times: 500, take: () => limiter.consume('exhausted', [perDay]) },
  'limiter is asked where a client stands': {
    times: 500,
    take: () => limiter.peek('exhausted', [perDay]),
  },
  'scan is stored': {
    times: 300,
    take: () => {
      const id = Bun.randomUUIDv7();
      created.push(id);
      scans.insert({ id, url: 'https://example.com/', isBareDomain: false, createdAtMs: before });
    },
  },
  'scan begins': { times: 300, take: (index) => scans.markRunning(created[index] ?? '') },
  'scan ends': {
    times: 300,
    take: (index) => scans.complete(created[index] ?? '', sampleResult),
  },
  'scan is read': { times: 1_000, take: (index) => scans.find(ids[index] ?? '') },
  'step of retention: scans': { times: 10, take: () => scans.pruneEndedBefore(before) },
  'step of retention: counts': { times: 10, take: () => counters.pruneExpired(before) },
  'step of retention: space': { times: 10, take: () => database.reclaimSpace() },
};

const medians: Record<string, number> = { 'database is opened': 1_000 * openMs };
for (const [name, { times, take }] of Object.entries(steps)) {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now();
    await take(index);
    durations.push(1_000 * (performance.now() - startedAt));
  }
  medians[name] = median(durations);
}
console.log(JSON.stringify(medians));
database.close();
