import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { unusable } from './storage-fault.ts';

/**
 * Keeps the database for this process until it ends or closes the lock: two services on one
 * database would take each other's running scans for left behind. The lock is one of the operating
 * system's, on a file beside the database, so that a killed process leaves none; other programs may
 * still read the database. Throws an error for the operator.
 */
export function lockDatabase(path: string): { close(): void } {
  if (path === ':memory:') return { close() {} };
  const lockPath = `${path}.lock`;
  let lock: Database | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    lock = new Database(lockPath, { create: true });
    lock.run('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock?.close();
    if (cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY') {
      throw new Error(
        `The database ${path} is in use by another Curbcut service. Stop that one, or set another DATABASE_PATH.`,
        { cause },
      );
    }
    throw unusable(`The lock file ${lockPath}`, cause);
  }
}
