import { DomainError } from '../errors.ts';
import type { Log } from '../log.ts';

/*
 * Scans end while the database can't be written: its disk is full, another program holds it. Such an
 * end is tried again until it is stored, as a page scanned once more may be another page, and who
 * waits for the report still gets it. Until then the record says that the scan is running.
 *
 * The scan keeps its place in the queue meanwhile, so that no more reports are held than scans may run
 * at once; and nothing new is accepted, even where a small row would still fit. When the service
 * stops first, the next process scans the page again.
 */

const retryMs = 1_000;

/** Stores how scans ended, whatever it takes, until it is closed. */
export class EndRecorder {
  readonly #log: Log;
  /** Why each of the ends that wait could not be stored. */
  readonly #faults = new Map<string, DomainError>();
  #isClosed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Throws `storage-unavailable` while an end waits to be stored. */
  assertNoneWaits(): void {
    for (const fault of this.#faults.values()) throw fault;
  }

  /** Calls `write` at once, and again while it throws `storage-unavailable`. */
  async record<T>(scanId: string, write: () => T | Promise<T>): Promise<T> {
    try {
      for (;;) {
        try {
          return await write();
        } catch (error) {
          if (!isStorageUnavailable(error) || this.#isClosed) throw error;
          if (!this.#faults.has(scanId)) {
            this.#log.error('scan has ended and waits to be stored', { scanId, error });
          }
          this.#faults.set(scanId, error);
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    } finally {
      this.#faults.delete(scanId);
    }
  }

  /** Ends that can't be stored are given up after one more attempt, with what it throws. */
  close(): void {
    this.#isClosed = true;
  }
}

export function isStorageUnavailable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'storage-unavailable';
}
