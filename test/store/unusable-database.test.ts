import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/database.ts';
import { createScanStore } from '../../src/store/scan-store.ts';

const pageBytes = 4_096;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curbcut-unusable-'));
  path = join(folder, 'curbcut.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As a service that was stopped has left it. */
function leaveDatabase(): void {
  const database = openDatabase(path);
  const store = createScanStore(database.db);
  for (let id = 0; id < 200; id++) {
    const url = `https://example.com/${'x'.repeat(500)}`;
    store.insert({ id: String(id), url, isBareDomain: false, createdAtMs: id });
  }
  database.close();
}

function overwrite(page: number, bytes: Uint8Array): void {
  writeSync(openSync(path, 'r+'), bytes, 0, bytes.length, page * pageBytes);
}

/** Expects that the start fails with this sentence and that nothing happens to the file. */
function expectRefused(sentence: string): void {
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow(`The database ${path} ${sentence}`);
  expect(readFileSync(path).equals(before)).toBe(true);
}

describe('a damaged database stops the start', () => {
  beforeEach(leaveDatabase);

  test('when its end is missing', () => {
    truncateSync(path, 5 * pageBytes);
    expectRefused('is damaged. Restore a backup');
  });

  test('when its first page lost all but its header', () => {
    overwrite(0, readFileSync(path).subarray(0, 100));
    const bytes = new Uint8Array(pageBytes - 100).fill(7);
    writeSync(openSync(path, 'r+'), bytes, 0, bytes.length, 100);
    expectRefused('is damaged. Restore a backup');
  });

  test('when pages of its scans were overwritten', () => {
    overwrite(12, new Uint8Array(20 * pageBytes).fill(7));
    expectRefused('is damaged');
  });
});

test('a file that is no database stops the start', () => {
  writeFileSync(path, 'Not a database, but long enough to look at. '.repeat(100));
  expectRefused('is not an SQLite database. Move it away, or set another DATABASE_PATH.');
});

test('a folder in the place of the file stops the start', () => {
  mkdirSync(path);
  expect(() => openDatabase(path)).toThrow('could not be opened for writing');
});

describe('a database that a version of Curbcut has migrated', () => {
  const addMigration = (atMs: number): void => {
    const database = new Database(path);
    database.query("insert into __drizzle_migrations (hash, created_at) values ('h', ?)").run(atMs);
    database.close();
  };
  const newestMs = (): number => {
    const database = new Database(path);
    const [row] = database.query('select max(created_at) from __drizzle_migrations').values();
    database.close();
    return Number(row?.[0]);
  };
  beforeEach(leaveDatabase);

  test('that is newer stops the start', () => {
    addMigration(newestMs() + 1);
    expectRefused('was used by a newer version of Curbcut. Start that version');
  });

  test('that is this one is used', () => {
    addMigration(newestMs());
    openDatabase(path).close();
  });
});

test('a database that another program writes to stops the start', async () => {
  leaveDatabase();
  const other = new Database(path);
  other.run('BEGIN EXCLUSIVE');
  expectRefused('is locked by another program. End that one');
  other.run('ROLLBACK');
  openDatabase(path).close();
  other.close();
}, 20_000);
