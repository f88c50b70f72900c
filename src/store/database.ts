import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import * as schema from './schema.ts';
import { createWriteCheck } from './write-check.ts';

export type Db = BunSQLiteDatabase<typeof schema>;

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
const reclaimedPages = 1_000;
const busyTimeoutMs = 5_000;

/**
 * Opens and migrates the database; creates it, and its folder, when it is missing. `:memory:` keeps
 * nothing. Throws an error that names the file.
 */
export function openDatabase(path: string): OpenDatabase {
  let sqlite: Database | undefined;
  try {
    sqlite = connect(path);
    const db = drizzle(sqlite, { schema });
    migrate(db, { migrationsFolder });
    return toOpenDatabase(sqlite, db);
  } catch (cause) {
    sqlite?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The database ${path} could not be opened: ${reason}. User ${process.geteuid?.()} must be able to write to it and its folder.`,
      { cause },
    );
  }
}

function connect(path: string): Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const sqlite = new Database(path, { create: true });
  // First of all: the next ones need the lock.
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // Before the first table and before WAL, or it takes no effect.
  sqlite.run('PRAGMA auto_vacuum = INCREMENTAL');
  sqlite.run('PRAGMA journal_mode = WAL');
  // A 202 is a promise: with WAL only FULL keeps it through a power cut.
  sqlite.run('PRAGMA synchronous = FULL');
  sqlite.run('PRAGMA foreign_keys = ON');
  sqlite.run('PRAGMA journal_size_limit = 67108864');
  return sqlite;
}

function toOpenDatabase(sqlite: Database, db: Db): OpenDatabase {
  return {
    db,
    reclaimSpace() {
      // One row for each page.
      return sqlite.query(`PRAGMA incremental_vacuum(${reclaimedPages})`).all().length;
    },
    problem: createWriteCheck(sqlite, busyTimeoutMs),
    close() {
      sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
      sqlite.close();
    },
  };
}
