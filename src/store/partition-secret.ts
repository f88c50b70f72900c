import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { unusable } from './storage-fault.ts';

const secretBytes = 32;

/**
 * The key of the stored client hashes: from a file beside the database, so that a copy of the database
 * alone reveals no address. The file is created when it is missing; losing it only resets the counters.
 *
 * The database's folder must exist. Throws when the file cannot be used.
 */
export function loadPartitionSecret(databasePath: string): Uint8Array {
  if (databasePath === ':memory:') return randomBytes(secretBytes);

  const path = `${databasePath}.secret`;
  const secret = readOrCreate(path);
  // Replacing it here could leave two processes with different secrets.
  if (secret.length !== secretBytes) {
    throw new Error(
      `${path} holds ${secret.length} bytes, not ${secretBytes}: restore it, or delete it to start the rate limits afresh.`,
    );
  }
  return secret;
}

function readOrCreate(path: string): Uint8Array {
  try {
    return readIfExists(path) ?? createOnce(path);
  } catch (error) {
    throw unusable(`The file ${path}`, error);
  }
}

/**
 * Gives the file its content before its name, and the name only if it is still free: a process that
 * starts at the same time sees no file or a whole one, and the later of two takes the earlier's.
 */
function createOnce(path: string): Uint8Array {
  const draftPath = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(draftPath, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(secretBytes));
    fsyncSync(file);
    linkSync(draftPath, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    closeSync(file);
    unlinkSync(draftPath);
  }
  return readFileSync(path);
}

function readIfExists(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
