import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type OpenDatabase, openDatabase, writeSynced } from '../../src/store/database.ts';
import { scans } from '../../src/store/schema.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curbcut-database-'));
  path = join(folder, 'data', 'deep', 'curbcut.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const scan = { url: 'https://example.com/', isBareDomain: false, status: 'queued' } as const;

function insertScan({ db }: OpenDatabase, id: string): void {
  db.insert(scans)
    .values({ ...scan, id, createdAtMs: 1 })
    .run();
}

function idsIn({ db }: OpenDatabase): string[] {
  return db
    .select({ id: scans.id })
    .from(scans)
    .orderBy(scans.id)
    .all()
    .map(({ id }) => id);
}

function pragma({ db }: OpenDatabase, name: string): unknown {
  return Object.values(db.get<Record<string, unknown>>(sql.raw(`PRAGMA ${name}`)))[0];
}

function tablesOf({ db }: OpenDatabase): string[] {
  const rows = db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' order by name`,
  );
  return rows.map(({ name }) => name);
}

test('a fresh file gets its folder and all tables', () => {
  const database = openDatabase(path);
  expect(existsSync(path)).toBe(true);
  expect(tablesOf(database)).toEqual([
    '__drizzle_migrations',
    'rate_events',
    'reports',
    'scans',
    'sqlite_sequence',
  ]);
  expect(idsIn(database)).toEqual([]);
  database.close();
});

test('an existing file keeps what it holds, and is not migrated twice', () => {
  const migrationsIn = ({ db }: OpenDatabase): unknown =>
    db.get(sql`select count(*) as count from __drizzle_migrations`);
  const first = openDatabase(path);
  insertScan(first, 'a');
  const migrations = migrationsIn(first);
  first.close();

  const second = openDatabase(path);
  expect(idsIn(second)).toEqual(['a']);
  expect(migrationsIn(second)).toEqual(migrations);
  second.close();
});

describe('a database is set up', () => {
  test.each([
    ['with a log that readers do not wait for', 'journal_mode', 'wal'],
    ['to wait for the disk only where it is told to', 'synchronous', 1],
    ['to give space back', 'auto_vacuum', 2],
    ['with foreign keys', 'foreign_keys', 1],
    ['to hold up nobody for long by waiting for its lock', 'busy_timeout', 50],
    ['with a log that does not stay large', 'journal_size_limit', 67_108_864],
  ])('%s', (_, name, value) => {
    for (let time = 1; time <= 2; time++) {
      const database = openDatabase(path);
      expect(pragma(database, name)).toBe(value);
      database.close();
    }
  });

  test('in memory without a file', () => {
    const database = openDatabase(':memory:');
    expect(tablesOf(database)).toContain('scans');
    expect(pragma(database, 'foreign_keys')).toBe(1);
    expect(existsSync(':memory:')).toBe(false);
    database.close();
  });
});

test('databases in memory share nothing', () => {
  const [one, other] = [openDatabase(':memory:'), openDatabase(':memory:')];
  insertScan(one, 'a');
  expect(idsIn(other)).toEqual([]);
});

test('a closed database is the file alone', () => {
  const database = openDatabase(path);
  insertScan(database, 'a');
  // Statements that are still prepared must not keep the log.
  const prepared = database.db.select().from(scans).prepare();
  expect(prepared.all()).toHaveLength(1);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  database.close();

  const copy = join(folder, 'copy.sqlite');
  copyFileSync(path, copy);
  const restored = openDatabase(copy);
  expect(idsIn(restored)).toEqual(['a']);
  restored.close();
});

test('what was written before the process dies is there for the next', async () => {
  const module = JSON.stringify(import.meta.resolve('../../src/store/database.ts'));
  const schema = JSON.stringify(import.meta.resolve('../../src/store/schema.ts'));
  const script = `
    const { openDatabase } = await import(${module});
    const { scans } = await import(${schema});
    const { db } = openDatabase(${JSON.stringify(path)});
    db.insert(scans).values({ id: 'a', createdAtMs: 1, ...${JSON.stringify(scan)} }).run();
    process.kill(process.pid, 'SIGKILL');
  `;
  const child = Bun.spawn([process.execPath, '-e', script]);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  const database = openDatabase(path);
  expect(idsIn(database)).toEqual(['a']);
  database.close();
});

describe('reclaiming space', () => {
  const pageSize = 4_096;
  /** Large enough for three calls. */
  const filledPages = 250;

  const fill = (database: OpenDatabase): void => {
    database.db.run(sql`create table filling (bytes blob)`);
    const bytes = Buffer.alloc(pageSize * 10);
    for (let page = 0; page < filledPages; page += 10) {
      database.db.run(sql`insert into filling values (${bytes})`);
    }
  };
  const freePages = (database: OpenDatabase): number => Number(pragma(database, 'freelist_count'));
  const sizeAfterCheckpoint = (database: OpenDatabase): number => {
    pragma(database, 'wal_checkpoint(TRUNCATE)');
    return statSync(path).size;
  };

  test('gives back a hundred pages a call, until the file is small again', () => {
    const database = openDatabase(path);
    insertScan(database, 'a');
    const smallBytes = sizeAfterCheckpoint(database);
    fill(database);
    expect(sizeAfterCheckpoint(database)).toBeGreaterThan(filledPages * pageSize);

    database.db.run(sql`drop table filling`);
    const free = freePages(database);
    expect(free).toBeGreaterThan(200);
    expect(database.reclaimSpace()).toBe(100);
    expect(freePages(database)).toBe(free - 100);
    expect(database.reclaimSpace()).toBe(100);
    expect(database.reclaimSpace()).toBe(free - 200);
    expect(freePages(database)).toBe(0);
    expect(database.reclaimSpace()).toBe(0);

    expect(sizeAfterCheckpoint(database)).toBe(smallBytes);
    expect(idsIn(database)).toEqual(['a']);
    database.close();
  });

  test('has nothing to do in a fresh database', () => {
    const database = openDatabase(path);
    expect(database.reclaimSpace()).toBe(0);
    database.close();
  });

  test('can be left to SQLite in a file that was made without it', () => {
    const foreign = new Database(join(folder, 'foreign.sqlite'), { create: true });
    foreign.run('create table filling (bytes blob)');
    foreign.close();
    const database = openDatabase(join(folder, 'foreign.sqlite'));
    database.db.run(sql`drop table filling`);
    expect(database.reclaimSpace()).toBe(0);
    database.close();
  });
});

describe('writing synced', () => {
  const syncedWhen = { normal: 1, full: 2 };

  test('waits for the disk, as other writes do not', () => {
    const database = openDatabase(path);
    const synchronous = (): number => Number(pragma(database, 'synchronous'));
    expect(synchronous()).toBe(syncedWhen.normal);
    expect(writeSynced(database.db, synchronous)).toBe(syncedWhen.full);
    expect(synchronous()).toBe(syncedWhen.normal);
    database.close();
  });

  test('that fails leaves it at that', () => {
    const database = openDatabase(path);
    const fail = (): never => {
      throw new Error('no space');
    };
    expect(() => writeSynced(database.db, fail)).toThrow('no space');
    expect(Number(pragma(database, 'synchronous'))).toBe(syncedWhen.normal);
    database.close();
  });
});
