import { type Database, SQLiteError } from 'bun:sqlite';
import { DrizzleError } from 'drizzle-orm';
import { DomainError } from '../errors.ts';
import { endPause, pauseWaits } from './busy-wait.ts';

/*
 * What can befall the database from outside: its disk, its file, another program's lock. SQLite's
 * primary result codes tell it from mistakes of this service, such as wrong SQL, which stay as they
 * are. At the start a fault ends the process with advice for the operator; later it is
 * `storage-unavailable` for whoever asked, and gone when its reason is: no method leaves half of
 * its work behind, and none remembers the fault.
 */

const writable = `could not be opened for writing. User ${process.geteuid?.()} must be able to write to it and its folder.`;
export const damagedAdvice = 'Restore a backup, or move it away to start with an empty one.';
const full = 'could not be written: the disk is full. Free some space, and start again.';
const locked = 'is locked by another program. End that one, and start again.';

/** What is wrong with a file and what to do, as the rest of a sentence that begins with its name. */
const adviceByCode: Readonly<Record<string, string>> = {
  SQLITE_BUSY: locked,
  SQLITE_PROTOCOL: locked,
  SQLITE_FULL: full,
  SQLITE_IOERR:
    'could not be read or written: the disk is full or failing. See to it, and start again.',
  SQLITE_NOMEM: 'could not be opened: there is not enough memory. Free some, and start again.',
  SQLITE_READONLY: writable,
  SQLITE_CANTOPEN: writable,
  SQLITE_PERM: writable,
  SQLITE_CORRUPT: `is damaged. ${damagedAdvice}`,
  SQLITE_NOTADB: 'is not an SQLite database. Move it away, or set another DATABASE_PATH.',
};

/** What this service itself finds wrong with its file, as the rest of such a sentence. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

/** Why the service can't start with this file, for its operator. */
export function unusable(file: string, cause: unknown): Error {
  if (cause instanceof FileFault) return new Error(`${file} ${cause.message}`);
  const isDiskFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC';
  const advice = isDiskFull ? full : (adviceFor(cause) ?? writable);
  return new Error(`${file} ${advice}`, { cause: unwrap(cause) });
}

type Method = (...args: never[]) => unknown;

/** The same store, whose methods throw `storage-unavailable` where a fault hinders them. */
export function guardStore<Store extends Record<keyof Store, Method>>(
  sqlite: Database,
  store: Store,
): Store {
  const rethrow = (error: unknown): never => {
    if (adviceFor(error) === locked) pauseWaits(sqlite);
    throw adviceFor(error) === undefined ? error : storageUnavailable(error);
  };
  const guard =
    (method: Method): Method =>
    (...args) => {
      endPause(sqlite);
      try {
        const result = method(...args);
        return result instanceof Promise ? result.catch(rethrow) : result;
      } catch (error) {
        return rethrow(error);
      }
    };
  const guarded = Object.entries<Method>(store).map(([name, method]) => [name, guard(method)]);
  return Object.fromEntries(guarded) as Store;
}

/** `cause` is for the log. */
export function storageUnavailable(cause: unknown): DomainError {
  return new DomainError(
    'storage-unavailable',
    'This service can’t use its database at the moment. Try again in ten seconds.',
    { cause, data: { retryAfterSeconds: 10 } },
  );
}

/** Undefined for what is no fault of the storage. */
function adviceFor(thrown: unknown): string | undefined {
  const error = unwrap(thrown);
  if (!(error instanceof SQLiteError)) return undefined;
  // SQLite itself rolls back what a full or failing disk has stopped; drizzle's migrations then try
  // it again, and this error hides the first.
  if (error.message.includes('no transaction is active')) return adviceByCode['SQLITE_IOERR'];
  const [primaryCode = ''] = /^SQLITE_[A-Z]+/.exec(error.code ?? '') ?? [];
  return adviceByCode[primaryCode];
}

/** Drizzle wraps the errors of some statements, with the statement. */
function unwrap(error: unknown): unknown {
  return error instanceof DrizzleError ? error.cause : error;
}
