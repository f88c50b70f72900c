import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/database.ts';
import { lockDatabase } from '../../src/store/database-lock.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curbcut-lock-'));
  path = join(folder, 'data', 'curbcut.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that locks the database and waits to be killed. */
async function startHolder() {
  const module = JSON.stringify(import.meta.resolve('../../src/store/database-lock.ts'));
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `const { lockDatabase } = await import(${module});
      globalThis.lock = lockDatabase(${JSON.stringify(path)});
      console.log('locked');
      setInterval(() => {}, 1_000);`,
    ],
    { stdout: 'pipe' },
  );
  await child.stdout.getReader().read();
  return child;
}

test('a database that another process holds is refused, until that is killed', async () => {
  const holder = await startHolder();
  expect(() => lockDatabase(path)).toThrow(`${path} is in use by another Curbcut service`);
  holder.kill('SIGKILL');
  await holder.exited;
  lockDatabase(path).close();
});

test('a lock that was closed can be taken again', () => {
  const first = lockDatabase(path);
  expect(() => lockDatabase(path)).toThrow('in use');
  first.close();
  lockDatabase(path).close();
});

test('other programs may read a locked database, and copy it', () => {
  const lock = lockDatabase(path);
  const database = openDatabase(path);
  const reader = new Database(path, { readonly: true });
  expect(reader.query('select count(*) as count from scans').get()).toEqual({ count: 0 });
  reader.close();
  database.close();
  lock.close();
});

test('databases in memory need no lock', () => {
  const [one, other] = [lockDatabase(':memory:'), lockDatabase(':memory:')];
  expect(existsSync(':memory:.lock')).toBe(false);
  one.close();
  other.close();
});

test('a folder that cannot be made is reported with the file', async () => {
  await Bun.write(join(folder, 'data'), 'a file');
  expect(() => lockDatabase(path)).toThrow(
    `The lock file ${path}.lock could not be opened for writing`,
  );
});
