import { constants, Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { allowWaits } from './busy-wait.ts';
import * as schema from './schema.ts';
import { createWriteCheck } from './write-check.ts';
import { damagedAdvice, FileFault, storageUnavailable, unusable } from './storage-fault.ts';

export type Db = BunSQLiteDatabase<typeof schema> & { readonly $client: Database };

export interface OpenDatabase {
  readonly db: Db;
  /**
   * Gives space that deleted rows have left back to the file system, a bounded number of pages a
   * call; returns how many, so call until 0.
   */
  reclaimSpace(): number;
  /** Why nothing can be written just now, as a sentence; null when something can. Cheap. */
  problem(): string | null;
  /** Merges the log into the file, so that the file alone is a whole backup. */
  close(): void;
}

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));
/** All requests wait meanwhile. */
const reclaimedPages = 100;
/** Nothing else goes on before the start is over. */
const startBusyTimeoutMs = 2_000;

/**
 * Opens and migrates the database; creates it, and its folder, when it is missing. `:memory:` keeps
 * nothing. Throws an error that tells the operator what to do, and then leaves what the file holds as
 * it was.
 */
export function openDatabase(path: string): OpenDatabase {
  let sqlite: Database | undefined;
  try {
    sqlite = connect(path);
    const db = drizzle(sqlite, { schema });
    migrate(db, { migrationsFolder });
    // Changes nothing, and fails where nothing could be stored.
    sqlite.run('PRAGMA user_version = 0');
    allowWaits(sqlite);
    return toOpenDatabase(sqlite, db);
  } catch (error) {
    sqlite?.close();
    throw unusable(`The database ${path}`, error);
  }
}

/**
 * Throws `storage-unavailable` when the file has been deleted, moved or replaced: SQLite goes on
 * with the one it has open, and what it writes there would be lost in the end.
 */
export function assertInPlace({ $client }: Db): void {
  // One int; Bun wants room for two.
  const hasMoved = new Int32Array(2);
  $client.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, hasMoved);
  if (hasMoved[0] === 0) return;
  throw storageUnavailable(
    new Error(
      `the database ${$client.filename} was deleted, moved or replaced: put it back, or start this service again`,
    ),
  );
}

/**
 * Runs what a power cut must not undo, and waits for the disk; what was written before goes there as
 * well. All requests wait meanwhile.
 */
export function writeSynced<T>({ $client }: Db, work: () => T): T {
  $client.run('PRAGMA synchronous = FULL');
  try {
    return work();
  } finally {
    $client.run('PRAGMA synchronous = NORMAL');
  }
}

function connect(path: string): Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const sqlite = new Database(path, { create: true });
  // First of all: the next ones need the lock.
  sqlite.run(`PRAGMA busy_timeout = ${startBusyTimeoutMs}`);
  assertIntact(sqlite);
  // Before the first table and before WAL, or it takes no effect.
  sqlite.run('PRAGMA auto_vacuum = INCREMENTAL');
  sqlite.run('PRAGMA journal_mode = WAL');
  // Nothing is lost with this process; what a power cut must not undo either is `writeSynced`.
  sqlite.run('PRAGMA synchronous = NORMAL');
  sqlite.run('PRAGMA foreign_keys = ON');
  sqlite.run('PRAGMA journal_size_limit = 67108864');
  // 64 MiB: the inner pages of the indexes of a million scans, and then some.
  sqlite.run('PRAGMA cache_size = -65536');
  return sqlite;
}

/**
 * Throws where the file should stay as it is. Reads all but the reports, which may be gigabytes: a
 * damaged report hinders its own polls only, but without the rest there is no service.
 */
function assertIntact(sqlite: Database): void {
  const names = sqlite.query<{ name: string }, []>('select name from sqlite_master').all();
  const has = (table: string): boolean => names.some(({ name }) => name === table);
  for (const table of ['scans', 'rate_events'].filter(has)) {
    const [[finding] = []] = sqlite.query(`PRAGMA quick_check(${table})`).values();
    if (finding !== 'ok') throw new FileFault(`is damaged: ${String(finding)}. ${damagedAdvice}`);
  }
  if (has('__drizzle_migrations')) assertNotNewer(sqlite);
}

/** Drizzle takes a database with migrations that it does not know for one that is up to date. */
function assertNotNewer(sqlite: Database): void {
  const newest = sqlite.query('select max(created_at) from __drizzle_migrations').values();
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  if (Number(newest[0]?.[0]) <= Math.max(...known)) return;
  throw new FileFault(
    'was used by a newer version of Curbcut. Start that version, or set another DATABASE_PATH.',
  );
}

function toOpenDatabase(sqlite: Database, db: Db): OpenDatabase {
  return {
    db,
    reclaimSpace() {
      // One row for each page.
      return sqlite.query(`PRAGMA incremental_vacuum(${reclaimedPages})`).all().length;
    },
    problem: createWriteCheck(sqlite),
    close() {
      try {
        sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        // What is in the log stays there for the next start.
        sqlite.close();
      }
    },
  };
}
