import type { AddressPolicy } from '../browser/address-policy.ts';
import type { PageScan, RunAxe } from '../browser/run-axe.ts';
import { BrowserDiedError, DomainError, ScanFailedError } from '../errors.ts';
import type { Log } from '../log.ts';
import { reportFromAxe } from '../report/from-axe.ts';
import type { ScanStore, StoredScan } from '../store/scan-store.ts';
import { EndRecorder, isStorageUnavailable } from './end-recorder.ts';
import { type ScanQueue, shuttingDown } from './queue.ts';
import { failureOf, interrupted } from './scan-failure.ts';
import { candidatesOf, parseScanUrl, type ScanUrl } from './scan-url.ts';

/*
 * The only place that knows the whole way of a scan: checked, stored, queued, run, reported, stored.
 *
 * A scan is stored before anything else happens, so that whoever was told its id finds it again,
 * whatever becomes of this process. While it is under way it also has an entry here, which those
 * who wait for it and those who ask for the same URL share. It ends early only when its last waiter
 * leaves and nobody was told its id.
 */

/** A scan in any state, with its report when it is done. */
export type Scan = StoredScan;

interface ServiceOptions {
  readonly store: ScanStore;
  readonly queue: ScanQueue;
  readonly runAxe: RunAxe;
  readonly addressPolicy: AddressPolicy;
  readonly log: Log;
  readonly now: () => number;
}

interface ScanUnderWay {
  readonly scanId: string;
  readonly target: ScanUrl;
  readonly cancel: AbortController;
  /** Resolves when the scan is done, failed, or handed back to the next process; rejects when none of these could be stored. */
  readonly ended: Promise<void>;
  waiters: number;
  /** Somebody was told the id and may come back for it. */
  isKept: boolean;
}

/** A scan that was running when the process died so often is taken for the reason. */
const maxInterruptions = 2;

export class ScanService {
  readonly #options: ServiceOptions;
  readonly #underWay = new Map<string, ScanUnderWay>();
  readonly #ends: EndRecorder;
  #isClosing = false;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#ends = new EndRecorder(options.log);
  }

  /**
   * Starts a scan of `text`, or joins one of the same URL that is under way, and waits for its end:
   * at most `waitMs` (Infinity for as long as it takes), until `signal` is aborted, or until the
   * service closes. The scan that comes back may therefore be unfinished; after a wait that was too
   * short it goes on, after an abort it goes on only for others.
   *
   * A scan waits in the line of the client that was the first to ask for it.
   *
   * Throws `invalid-url`, `queue-full`, `too-many-waiting`, `shutting-down`, `storage-unavailable`.
   */
  async scan(text: string, waitMs: number, signal: AbortSignal, client?: string): Promise<Scan> {
    const target = parseScanUrl(text);
    this.#assertAllowed(target.url);
    if (this.#isClosing) throw shuttingDown();
    const scan = this.#underWay.get(keyOf(target)) ?? this.#accept(target, client);
    if (waitMs <= 0) scan.isKept = true;
    else await this.#wait(scan, waitMs, signal);
    const found = this.find(scan.scanId);
    if (scan.isKept && isUnfinished(found)) this.#options.store.keep(found.id);
    return found;
  }

  /** Throws what keeps a scan of a new client from being accepted: `shutting-down` or `queue-full`. */
  assertOpen(): void {
    if (this.#isClosing) throw shuttingDown();
    this.#options.queue.assertRoom();
  }

  /** Throws `scan-not-found`. */
  find(scanId: string): Scan {
    const scan = this.#options.store.find(scanId);
    if (scan !== undefined) return scan;
    throw new DomainError(
      'scan-not-found',
      'There is no scan with this id. It may have been deleted because of its age: start a new one.',
    );
  }

  /** Queues again what the last process left unfinished. Call once, before the first scan. */
  recover(): void {
    for (const row of this.#options.store.recover()) {
      const target = { url: new URL(row.url), isBareDomain: row.isBareDomain };
      if (row.interruptions >= maxInterruptions) {
        this.#failAside(row.id, target, interrupted());
        continue;
      }
      this.#enqueue(row.id, target).isKept = true;
    }
  }

  /** Refuses new scans, lets running ones end within `graceMs`, and leaves the others to the next process. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#ends.close();
    await this.#options.queue.drain(graceMs);
  }

  #accept(target: ScanUrl, client: string | undefined): ScanUnderWay {
    this.#ends.assertNoneWaits();
    this.#options.queue.assertRoom(client);
    // Sorted by time (RFC 9562): in the indexes, scans that are asked for together lie together.
    const scanId = Bun.randomUUIDv7();
    this.#options.store.insert({
      id: scanId,
      url: target.url.href,
      isBareDomain: target.isBareDomain,
      createdAtMs: this.#options.now(),
    });
    return this.#enqueue(scanId, target, client);
  }

  #enqueue(scanId: string, target: ScanUrl, client?: string): ScanUnderWay {
    const { queue } = this.#options;
    const cancel = new AbortController();
    const told = Promise.withResolvers<void>();
    const tell = (stored: Promise<void>): void => void stored.then(told.resolve, told.reject);
    const task = queue.add(
      (signal) => this.#run(scanId, target, signal, tell),
      cancel.signal,
      client,
    );
    const ended = Promise.race([task, told.promise]).finally(() => this.#forget(scan));
    ended.catch((error: unknown) => this.#logUnstored(scanId, error));
    const scan: ScanUnderWay = { scanId, target, cancel, ended, waiters: 0, isKept: false };
    this.#underWay.set(keyOf(target), scan);
    return scan;
  }

  async #wait(scan: ScanUnderWay, waitMs: number, signal: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const leave = (): void => over.resolve();
    const expire = (): void => {
      scan.isKept = true;
      over.resolve();
    };
    const timer = Number.isFinite(waitMs) ? setTimeout(expire, waitMs) : undefined;
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    scan.waiters += 1;
    try {
      await Promise.race([scan.ended, over.promise]);
    } finally {
      scan.waiters -= 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
    if (scan.waiters === 0 && !scan.isKept && this.#isUnderWay(scan)) this.#cancel(scan);
  }

  #cancel(scan: ScanUnderWay): void {
    const error = new ScanFailedError('scan-cancelled', 'Nobody waited for this scan any more.');
    this.#failAside(scan.scanId, scan.target, error);
    this.#forget(scan);
    scan.cancel.abort(error);
  }

  /**
   * Ends when nothing of the page is left, so that its place stays taken until then. Those who wait
   * are told before, when the end is stored: a browser that is slow to get rid of a page keeps nobody
   * waiting, not beyond the deadline either.
   */
  async #run(
    scanId: string,
    target: ScanUrl,
    signal: AbortSignal,
    tell: (stored: Promise<void>) => void,
  ): Promise<void> {
    const startedAtMs = this.#options.now();
    const stop = (reason: ScanFailedError): void => tell(this.#fail(scanId, target, reason));
    const scanning = this.#runAxe(scanId, target, signal, stop);
    const stored = this.#storeEnd(scanId, target, scanning, startedAtMs);
    tell(stored);
    await scanning.then(({ closed }) => closed).catch(() => {});
    await stored;
  }

  async #storeEnd(
    scanId: string,
    target: ScanUrl,
    scanning: Promise<PageScan>,
    startedAtMs: number,
  ): Promise<void> {
    const { store, log, now } = this.#options;
    try {
      const result = reportFromAxe({ ...(await scanning), startedAtMs, endedAtMs: now() });
      // It may have been cancelled while its findings were compressed.
      if (!(await this.#ends.record(scanId, () => store.complete(scanId, result)))) return;
      const { score, durationMs } = result.report;
      log.info('scan done', { scanId, host: target.url.host, score, durationMs });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'shutting-down') {
        store.markQueued(scanId);
        log.info('scan handed back', { scanId });
        return;
      }
      // It is left as it is to the next process.
      if (isStorageUnavailable(error)) throw error;
      await this.#fail(scanId, target, error);
    }
  }

  #markRunning(scanId: string): void {
    const { store, log } = this.#options;
    try {
      store.markRunning(scanId);
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      // A scan that is called queued is scanned all the same, by this process or the next.
      log.warn('scan could not be marked as running', { scanId, error });
    }
  }

  /** Throws the signal's reason once that is aborted, whatever the browser made of it. */
  async #runAxe(
    scanId: string,
    target: ScanUrl,
    signal: AbortSignal,
    stop: (reason: ScanFailedError) => void,
  ): Promise<PageScan> {
    this.#markRunning(scanId);
    const { runAxe, log } = this.#options;
    const request = { candidates: candidatesOf(target), signal };
    const onAbort = (): void => {
      if (signal.reason instanceof ScanFailedError) stop(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await runAxe(request).catch((error: unknown) => {
        if (!(error instanceof BrowserDiedError) || signal.aborted) throw error;
        log.warn('browser died, scanning once more', { error });
        return runAxe(request);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #failAside(scanId: string, target: ScanUrl, error: ScanFailedError): void {
    this.#fail(scanId, target, error).catch((fault: unknown) => this.#logUnstored(scanId, fault));
  }

  /** Stored before it returns, if the store works. */
  async #fail(scanId: string, target: ScanUrl, error: unknown): Promise<void> {
    const { store, log, now } = this.#options;
    const { code, message: detail, cause } = failureOf(error);
    // A cancelled scan has failed before its task ends.
    const failed = { code, detail, atMs: now() };
    if (!(await this.#ends.record(scanId, () => store.markFailed(scanId, failed)))) return;
    // Its host only: what stands behind may be nobody's business.
    const { host } = target.url;
    log.info('scan failed', { scanId, host, code, ...(cause === undefined ? {} : { cause }) });
  }

  #logUnstored(scanId: string, error: unknown): void {
    this.#options.log.error('scan could not be stored', { scanId, error });
  }

  #forget(scan: ScanUnderWay): void {
    // A later scan of the URL may have taken the place of one that was cancelled.
    if (this.#isUnderWay(scan)) this.#underWay.delete(keyOf(scan.target));
  }

  #isUnderWay(scan: ScanUnderWay): boolean {
    return this.#underWay.get(keyOf(scan.target)) === scan;
  }

  #assertAllowed(url: URL): void {
    const refusal = this.#options.addressPolicy.refusalOf(url);
    if (refusal !== null) throw new DomainError('invalid-url', refusal);
  }
}

function isUnfinished({ status }: Scan): boolean {
  return status === 'queued' || status === 'running';
}

function keyOf({ url, isBareDomain }: ScanUrl): string {
  return `${isBareDomain ? 'bare ' : ''}${url.href}`;
}
