import { Database, SQLiteError } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '../../src/errors.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import {
  createRateCounterStore,
  type RateCounterStore,
} from '../../src/store/rate-counter-store.ts';
import { createScanStore, type ScanStore } from '../../src/store/scan-store.ts';
import { rateEvents, reports, scans } from '../../src/store/schema.ts';
import { pageScan, ruleResult, until } from '../support/test-app.ts';
import { reportFromAxe } from '../../src/report/from-axe.ts';

let folder: string;
let path: string;
let database: OpenDatabase;
let store: ScanStore;
let counters: RateCounterStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curbcut-fault-'));
  path = join(folder, 'curbcut.sqlite');
  database = openDatabase(path);
  store = createScanStore(database.db);
  counters = createRateCounterStore(database.db);
  insert('running');
  store.markRunning('running');
  insert('old');
  store.markFailed('old', { code: 'not-html', detail: 'It is a picture.', atMs: 1 });
});
afterEach(() => {
  database.db.$client.close();
  rmSync(folder, { recursive: true });
});

function insert(id: string): void {
  const url = `https://example.com/${'x'.repeat(2_000)}`;
  store.insert({ id, url, isBareDomain: false, createdAtMs: 1 });
}

/** Too large for the free part of any page. */
const result = reportFromAxe({
  ...pageScan({ violations: [ruleResult('image-alt', 'critical', 5_000)] }),
  startedAtMs: 0,
  endedAtMs: 1_000,
});

const contents = () =>
  [scans, reports, rateEvents].map((table) => database.db.select().from(table).all());

const run = (statement: string) => void database.db.$client.run(statement);

interface Fault {
  begin(): void;
  end(): void;
}

const other: { connection?: Database } = {};
const faults: [string, string, Fault][] = [
  [
    'a database that can only be read',
    'SQLITE_READONLY',
    { begin: () => run('PRAGMA query_only = 1'), end: () => run('PRAGMA query_only = 0') },
  ],
  [
    'a full disk',
    'SQLITE_FULL',
    {
      begin() {
        const [[pages] = []] = database.db.$client.query('PRAGMA page_count').values();
        run(`PRAGMA max_page_count = ${String(pages)}`);
      },
      end: () => run('PRAGMA max_page_count = 1000000'),
    },
  ],
  [
    'a lock of another program',
    'SQLITE_BUSY',
    {
      begin() {
        other.connection = new Database(path);
        other.connection.run('BEGIN IMMEDIATE');
      },
      end: () => other.connection?.close(),
    },
  ],
];

async function faultOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(faults)('%s', (_, sqliteCode, fault) => {
  test('makes the storage unavailable, changes nothing, and leaves no trace', async () => {
    const before = contents();
    fault.begin();
    const writes: Record<string, () => unknown> = {
      insert: () => insert('new'),
      complete: () => store.complete('running', result),
    };
    for (const [name, write] of Object.entries(writes)) {
      const error = await faultOf(write);
      expect([name, error]).toEqual([name, expect.any(DomainError)]);
      expect(error).toMatchObject({
        code: 'storage-unavailable',
        data: { retryAfterSeconds: 10 },
        cause: { code: sqliteCode },
      });
    }
    expect(store.find('running')).toMatchObject({ status: 'running', report: null });
    expect(store.find('new')).toBeUndefined();
    expect(contents()).toEqual(before);

    fault.end();
    insert('new');
    expect(await store.complete('running', result)).toBe(true);
    expect(store.find('running')).toMatchObject({ status: 'done', report: result.report });
    expect(counters.transact(() => counters.record('get', 'client', 1))).toBe(1);
  });
});

test.each(faults)('%s leaves what is too old for later', async (name, _, fault) => {
  const prune = () => store.pruneEndedBefore(2);
  fault.begin();
  // Deleting needs no new page of the database.
  if (name === 'a full disk') expect(prune()).toBe(1);
  else expect(prune).toThrow(DomainError);
  await faultOf(() => database.reclaimSpace());
  fault.end();
  while (prune() > 0);
  while (database.reclaimSpace() > 0);
  expect(store.find('old')).toBeUndefined();
  expect(store.find('running')?.status).toBe('running');
  expect(database.db.$client.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
});

test('after a wait for a lock in vain, nobody else waits for a while', async () => {
  const waitMs = () => database.db.$client.query('PRAGMA busy_timeout').values()[0]?.[0];
  const holder = new Database(path);
  holder.run('BEGIN IMMEDIATE');
  expect(waitMs()).toBe(50);
  expect(() => insert('new')).toThrow(DomainError);
  expect(waitMs()).toBe(0);
  expect(() => insert('new')).toThrow(DomainError);
  expect(store.find('running')?.status).toBe('running');
  holder.close();
  insert('new');
  await until(() => {
    store.find('new');
    return waitMs() === 50;
  });
});

test('a request that cannot be counted is not', () => {
  run('PRAGMA query_only = 1');
  expect(() => counters.transact(() => counters.record('get', 'client', 1))).toThrow(DomainError);
  run('PRAGMA query_only = 0');
  expect(counters.readWindow('get', 'client', 0).counted).toBe(0);
});

test('a write that fails halfway through a transaction takes the rest back', () => {
  expect(() =>
    counters.transact(() => {
      counters.record('get', 'client', 1);
      run('PRAGMA query_only = 1');
      counters.record('total', 'client', 1);
    }),
  ).toThrow(DomainError);
  run('PRAGMA query_only = 0');
  expect(database.db.select().from(rateEvents).all()).toEqual([]);
});

describe('a database file', () => {
  test('that was moved takes no new scans until it is back, and is still read', () => {
    renameSync(path, `${path}.away`);
    expect(() => insert('new')).toThrow(DomainError);
    expect(store.find('running')?.status).toBe('running');
    renameSync(`${path}.away`, path);
    insert('new');
    expect(store.find('new')?.status).toBe('queued');
  });

  test('that was deleted or replaced takes no new scans, and still takes the end of one', async () => {
    rmSync(path);
    expect(() => insert('new')).toThrow(DomainError);
    new Database(path, { create: true }).run('create table another (id integer)');
    expect(() => insert('new')).toThrow(DomainError);
    expect(await store.complete('running', result)).toBe(true);
    expect(store.find('running')?.status).toBe('done');
  });

  test('with damaged reports still gives the others, and all that needs no report', async () => {
    const ids = Array.from({ length: 40 }, (_, number) => `scan-${number}`);
    for (const id of ids) {
      insert(id);
      await store.complete(id, result);
    }
    database.close();
    const [[damagedPage] = []] = new Database(path, { readonly: true })
      .query("select pageno from dbstat where name = 'reports' and pagetype = 'leaf' order by path")
      .values();
    const garbage = new Uint8Array(4_096).fill(7);
    writeSync(openSync(path, 'r+'), garbage, 0, 4_096, (Number(damagedPage) - 1) * 4_096);

    database = openDatabase(path);
    store = createScanStore(database.db);
    expect(() => store.find('scan-0')).toThrow(DomainError);
    expect(store.find('scan-39')).toMatchObject({ status: 'done', report: result.report });
    expect(store.find('running')?.status).toBe('running');
    insert('new');
    expect(store.find('new')?.status).toBe('queued');
  });
});

test('a mistake of this service stays what it is', async () => {
  expect(await faultOf(() => insert('running'))).toBeInstanceOf(SQLiteError);
});
