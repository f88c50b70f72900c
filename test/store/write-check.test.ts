import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';

let folder: string;
let database: OpenDatabase;
let other: Database;
beforeEach(() => {
  jest.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'curbcut-write-check-'));
  const path = join(folder, 'curbcut.sqlite');
  database = openDatabase(path);
  other = new Database(path);
});
afterEach(() => {
  jest.useRealTimers();
  other.close();
  database.close();
  rmSync(folder, { recursive: true });
});

test('a database that can be written has no problem', () => {
  expect(database.problem()).toBeNull();
});

test('a lock is a problem at once, and for two seconds', () => {
  other.run('BEGIN IMMEDIATE');
  expect(database.problem()).toBe('The database could not be written: database is locked.');
  other.run('ROLLBACK');
  jest.advanceTimersByTime(1_999);
  expect(database.problem()).not.toBeNull();
  jest.advanceTimersByTime(1);
  expect(database.problem()).toBeNull();
});

test('a database that may only be read has a problem', () => {
  database.db.run('PRAGMA query_only = ON');
  expect(database.problem()).toBe(
    'The database could not be written: attempt to write a readonly database.',
  );
  database.db.run('PRAGMA query_only = OFF');
});

test('the disk is written once in two seconds at most', () => {
  const changes = () => other.query('PRAGMA data_version').values()[0]?.[0];
  database.problem();
  const first = changes();
  for (let count = 0; count < 10; count += 1) database.problem();
  jest.advanceTimersByTime(1_999);
  database.problem();
  expect(changes()).toBe(first);
  jest.advanceTimersByTime(1);
  database.problem();
  expect(changes()).not.toBe(first);
});

test('a database in memory has no problem', () => {
  const inMemory = openDatabase(':memory:');
  expect(inMemory.problem()).toBeNull();
  inMemory.close();
});
