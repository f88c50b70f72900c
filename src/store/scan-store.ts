import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Findings, Report } from '../report/report.ts';
import { assertInPlace, type Db } from './database.ts';
import { reports, type ScanRow, scans } from './schema.ts';
import { guardStore } from './storage-fault.ts';

const pruneBatchRows = 200;
/** Word for word as in the index of the same name, or SQLite does not use that. */
const unfinished = sql`${scans.status} in ('queued', 'running')`;

export interface StoredScan extends ScanRow {
  /** Null unless the scan is done. */
  readonly report: Report | null;
}

/**
 * Scans and their reports. Every method but `complete` is synchronous; every one is atomic, and throws
 * `storage-unavailable` when the database can't be used.
 */
export interface ScanStore {
  insert(scan: Pick<ScanRow, 'id' | 'url' | 'isBareDomain' | 'createdAtMs'>): void;
  find(scanId: string): StoredScan | undefined;
  /** The elements behind a report. Throws unless the scan is done. */
  readFindings(scanId: string): Findings;
  markRunning(scanId: string): void;
  /** Puts a running scan back in the queue, as if it had not been started. */
  markQueued(scanId: string): void;
  /** False when the scan had ended already. */
  markFailed(scanId: string, error: { code: string; detail: string; atMs: number }): boolean;
  /**
   * Compresses the findings off the main thread, then stores all at once. False when the scan had
   * ended already.
   */
  complete(scanId: string, result: { report: Report; findings: Findings }): Promise<boolean>;
  /**
   * Takes up what a process that ended left unfinished: counts an interruption for each scan that
   * was running, queues it again, and returns all queued scans, oldest first.
   */
  recover(): ScanRow[];
  /** Deletes one batch of scans that ended before then, reports included; returns how many, so call until 0. */
  pruneEndedBefore(beforeMs: number): number;
}

export function createScanStore(db: Db): ScanStore {
  const byId = eq(scans.id, sql.placeholder('scanId'));
  const selectScan = db
    .select({ scan: scans, report: reports.report })
    .from(scans)
    .leftJoin(reports, eq(reports.scanId, scans.id))
    .where(byId)
    .prepare();
  const selectFindings = db
    .select({ findings: reports.findings })
    .from(reports)
    .where(eq(reports.scanId, sql.placeholder('scanId')))
    .prepare();

  const update = (scanId: string, changes: Partial<ScanRow>): boolean => {
    const changed = db
      .update(scans)
      .set(changes)
      .where(and(eq(scans.id, scanId), unfinished))
      .returning({ id: scans.id })
      .all();
    return changed.length > 0;
  };

  return guardStore<ScanStore>(db.$client, {
    insert: (scan) => {
      assertInPlace(db);
      db.insert(scans)
        .values({ ...scan, status: 'queued' })
        .run();
    },
    find: (scanId) => {
      const row = selectScan.get({ scanId });
      return row && { ...row.scan, report: row.report };
    },
    readFindings: (scanId) => {
      const row = selectFindings.get({ scanId });
      if (row === undefined) throw new Error(`scan ${scanId} has no report`);
      return JSON.parse(Bun.zstdDecompressSync(row.findings).toString()) as Findings;
    },
    markRunning: (scanId) => void update(scanId, { status: 'running' }),
    markQueued: (scanId) => void update(scanId, { status: 'queued' }),
    markFailed: (scanId, { code, detail, atMs }) =>
      update(scanId, {
        status: 'failed',
        errorCode: code,
        errorDetail: detail,
        finishedAtMs: atMs,
      }),
    complete: async (scanId, { report, findings }) => {
      const compressed = await Bun.zstdCompress(JSON.stringify(findings));
      return db.transaction((tx) => {
        const changed = tx
          .update(scans)
          .set({ status: 'done', finishedAtMs: Date.parse(report.scannedAt) })
          .where(and(eq(scans.id, scanId), unfinished))
          .returning({ id: scans.id })
          .all();
        if (changed.length === 0) return false;
        tx.insert(reports).values({ scanId, report, findings: compressed }).run();
        return true;
      });
    },
    recover: () =>
      db.transaction(
        (tx) => {
          tx.update(scans)
            .set({ status: 'queued', interruptions: sql`${scans.interruptions} + 1` })
            .where(and(unfinished, eq(scans.status, 'running')))
            .run();
          return tx.select().from(scans).where(unfinished).orderBy(asc(scans.createdAtMs)).all();
        },
        { behavior: 'immediate' },
      ),
    pruneEndedBefore: (beforeMs) => {
      const ended = db
        .select({ id: scans.id })
        .from(scans)
        .where(and(gte(scans.finishedAtMs, 0), lt(scans.finishedAtMs, beforeMs)))
        .limit(pruneBatchRows);
      return db.delete(scans).where(inArray(scans.id, ended)).returning({ id: scans.id }).all()
        .length;
    },
  });
}
