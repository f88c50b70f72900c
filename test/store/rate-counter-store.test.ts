import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRateLimiter } from '../../src/rate-limit/limiter.ts';
import { openDatabase } from '../../src/store/database.ts';
import {
  createRateCounterStore,
  type RateCounterStore,
} from '../../src/store/rate-counter-store.ts';

const perHour = { name: 'get', quota: 10, windowSeconds: 3_600 };

function createTestStore(): RateCounterStore {
  return createRateCounterStore(openDatabase(':memory:').db);
}

function importOf(module: string): string {
  return JSON.stringify(import.meta.resolve(module));
}

function decode(chunk: Uint8Array | undefined): string {
  return new TextDecoder().decode(chunk);
}

async function withDatabaseFile(use: (path: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'curbcut-rate-'));
  try {
    await use(join(folder, 'rate.sqlite'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a window holds the later events of its own policy and partition', () => {
  const store = createTestStore();
  for (const atMs of [1_001, 1_000, 1_003]) store.record('get', 'one', atMs);
  store.record('post', 'one', 1_002);
  store.record('get', 'two', 1_002);

  expect(store.readWindow('get', 'one', 999)).toEqual({ counted: 3, oldestMs: 1_000 });
  expect(store.readWindow('get', 'one', 1_000)).toEqual({ counted: 2, oldestMs: 1_001 });
  expect(store.readWindow('get', 'one', 1_003)).toEqual({ counted: 0, oldestMs: null });
});

test('an event is found by how many of its window are older', () => {
  const store = createTestStore();
  for (const atMs of [1_003, 1_000, 1_001]) store.record('get', 'one', atMs);
  const found = [0, 1, 2, 3].map((older) => store.findEventMs('get', 'one', 999, older));
  expect(found).toEqual([1_000, 1_001, 1_003, null]);
});

test('the id of a removed event is not used again', () => {
  const store = createTestStore();
  const removed = store.record('get', 'one', 1_000);
  store.remove([removed]);
  expect(store.record('get', 'one', 1_000)).toBeGreaterThan(removed);
});

test('a transaction that throws records nothing', () => {
  const store = createTestStore();
  const fail = (): never =>
    store.transact(() => {
      store.record('get', 'one', 1_000);
      throw new Error('second policy');
    });
  expect(fail).toThrow('second policy');
  expect(store.readWindow('get', 'one', 0).counted).toBe(0);
});

describe('pruning', () => {
  test('removes events up to the given time', () => {
    const store = createTestStore();
    for (const atMs of [1_000, 1_001, 1_002]) store.record('get', 'one', atMs);
    expect(store.pruneExpired(1_001)).toBe(2);
    expect(store.readWindow('get', 'one', 0)).toEqual({ counted: 1, oldestMs: 1_002 });
  });

  test('takes two hundred and fifty rows at a time', () => {
    const store = createTestStore();
    store.transact(() => {
      for (let atMs = 1; atMs <= 251; atMs++) store.record('get', 'one', atMs);
    });
    expect([0, 1, 2].map(() => store.pruneExpired(2_000))).toEqual([250, 1, 0]);
  });
});

test('counters survive reopening the database', () =>
  withDatabaseFile((path) => {
    const before = openDatabase(path);
    const { receipt } = createRateLimiter({ store: createRateCounterStore(before.db) }).consume(
      'client',
      [perHour],
    );
    before.close();

    const after = openDatabase(path);
    const limiter = createRateLimiter({ store: createRateCounterStore(after.db) });
    expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(9);
    limiter.giveBack(receipt);
    expect(limiter.peek('client', [perHour]).tightest?.remaining).toBe(10);
    after.close();
  }));

test('two connections to one file share a quota', () =>
  withDatabaseFile((path) => {
    const databases = [openDatabase(path), openDatabase(path)];
    const limiters = databases.map(({ db }) =>
      createRateLimiter({ store: createRateCounterStore(db) }),
    );
    const admitted = Array.from({ length: 10 }, () =>
      limiters.map((limiter) => limiter.consume('client', [perHour]).allowed),
    ).flat();
    expect(admitted.filter(Boolean)).toHaveLength(10);
    for (const database of databases) database.close();
  }));

test('processes that consume at the same moment share a quota and wait for each other', () =>
  withDatabaseFile(async (path) => {
    openDatabase(path).close();
    const script = `
      const { createRateLimiter } = await import(${importOf('../../src/rate-limit/limiter.ts')});
      const { createRateCounterStore } = await import(${importOf('../../src/store/rate-counter-store.ts')});
      const { openDatabase } = await import(${importOf('../../src/store/database.ts')});
      const { db } = openDatabase(${JSON.stringify(path)});
      // The service would rather refuse than wait so long.
      db.$client.run('PRAGMA busy_timeout = 5000');
      const limiter = createRateLimiter({ store: createRateCounterStore(db) });
      const policies = [{ name: 'get', quota: 300, windowSeconds: 3600 }];
      process.stdout.write('ready');
      for await (const _ of process.stdin) break;
      let admitted = 0;
      for (let i = 0; i < 250; i++) if (limiter.consume('client', policies).allowed) admitted++;
      process.stdout.write(' ' + admitted);
    `;
    const startProcess = async () => {
      const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' });
      const output = child.stdout.getReader();
      expect(decode((await output.read()).value)).toBe('ready');
      return { child, output };
    };
    // One after the other: it is consuming, not opening, that has to happen at the same moment.
    const processes = [await startProcess(), await startProcess()];
    for (const { child } of processes) {
      await child.stdin.write('go');
      await child.stdin.end();
    }
    const admitted = await Promise.all(
      processes.map(async ({ output }) => Number(decode((await output.read()).value))),
    );
    expect(admitted.reduce((sum, one) => sum + one, 0)).toBe(300);
  }));
