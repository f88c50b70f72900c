import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPartitionSecret } from '../../src/store/partition-secret.ts';

let folder: string;
let databasePath: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curbcut-secret-'));
  databasePath = join(folder, 'curbcut.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the secret of a database stays the same', () => {
  const secret = loadPartitionSecret(databasePath);
  expect(secret).toHaveLength(32);
  expect(loadPartitionSecret(databasePath)).toEqual(secret);
});

test('it lies beside the database, readable by its owner alone, with nothing left over', () => {
  loadPartitionSecret(databasePath);
  expect(readdirSync(folder)).toEqual(['curbcut.sqlite.secret']);
  expect(statSync(`${databasePath}.secret`).mode & 0o777).toBe(0o600);
});

test('a lost secret is replaced by another', () => {
  const secret = loadPartitionSecret(databasePath);
  rmSync(`${databasePath}.secret`);
  expect(loadPartitionSecret(databasePath)).not.toEqual(secret);
});

test('a damaged secret is reported instead of used', () => {
  loadPartitionSecret(databasePath);
  truncateSync(`${databasePath}.secret`, 31);
  expect(() => loadPartitionSecret(databasePath)).toThrow('holds 31 bytes, not 32');
});

describe('a database in memory', () => {
  test('has a secret of its own and no file', () => {
    const secret = loadPartitionSecret(':memory:');
    expect(secret).toHaveLength(32);
    expect(loadPartitionSecret(':memory:')).not.toEqual(secret);
  });
});

test('processes that start at the same moment end with the same secret', async () => {
  const module = JSON.stringify(import.meta.resolve('../../src/store/partition-secret.ts'));
  const script = `
    const { loadPartitionSecret } = await import(${module});
    const secret = loadPartitionSecret(${JSON.stringify(databasePath)});
    process.stdout.write(Buffer.from(secret).toString('hex'));
  `;
  const secrets = await Promise.all(
    Array.from({ length: 6 }, () =>
      new Response(Bun.spawn([process.execPath, '-e', script]).stdout).text(),
    ),
  );
  expect(secrets[0]).toHaveLength(64);
  expect(new Set(secrets).size).toBe(1);
  expect(readdirSync(folder)).toEqual(['curbcut.sqlite.secret']);
});
