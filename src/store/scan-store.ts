import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Findings, Report } from '../report/report.ts';
import { assertInPlace, type Db, writeSynced } from './database.ts';
import { reports, type ScanRow, scans } from './schema.ts';
import { guardStore } from './storage-fault.ts';

/** All requests wait meanwhile. */
const pruneBatchRows = 50;
/** A scan is polled most just after its end. So many reports take a megabyte or two. */
const maxRecentReports = 200;
/** Word for word as in the index of the same name, or SQLite does not use that. */
const unfinished = sql`${scans.status} in ('queued', 'running')`;

/** What has become of a scan. */
export interface StoredScan extends Pick<
  ScanRow,
  'id' | 'url' | 'status' | 'errorCode' | 'errorDetail'
> {
  /** Null unless the scan is done; its `url` is then the one of these that could be reached. */
  readonly report: Report | null;
}

/**
 * Scans and their reports. Every method but `complete` is synchronous; every one is atomic, and throws
 * `storage-unavailable` when the database can't be used. What they write outlives this process; a power
 * cut may undo the last of it, but for the scans that were kept: those are run again.
 */
export interface ScanStore {
  insert(scan: Pick<ScanRow, 'id' | 'url' | 'isBareDomain' | 'createdAtMs'>): void;
  /** Has the scan outlive a power cut, before somebody is told its id to come back with. */
  keep(scanId: string): void;
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
  const selectScan = db
    .select()
    .from(scans)
    .where(eq(scans.id, sql.placeholder('scanId')))
    .prepare();
  // Read by most polls, so as SQLite gives it; a join with the scan takes four times as long.
  const selectReport = db.$client.prepare<{ report: string }, [scanId: string]>(
    'select report from reports where scan_id = ?',
  );
  /** Of the scans that were read last; they change no more. */
  const recentReports = new Map<string, Report>();
  const readReport = (scanId: string): Report | null => {
    const row = selectReport.get(scanId);
    if (row === null) return null;
    const [oldest] = recentReports.size < maxRecentReports ? [] : recentReports.keys();
    if (oldest !== undefined) recentReports.delete(oldest);
    const report = JSON.parse(row.report) as Report;
    recentReports.set(scanId, report);
    return report;
  };
  const selectFindings = db
    .select({ findings: reports.findings })
    .from(reports)
    .where(eq(reports.scanId, sql.placeholder('scanId')))
    .prepare();

  const insertScan = db
    .insert(scans)
    .values({
      id: sql.placeholder('id'),
      url: sql.placeholder('url'),
      isBareDomain: sql.placeholder('isBareDomain'),
      status: 'queued',
      createdAtMs: sql.placeholder('createdAtMs'),
    })
    .prepare();
  const insertReport = db
    .insert(reports)
    .values({
      scanId: sql.placeholder('scanId'),
      report: sql.placeholder('report'),
      findings: sql.placeholder('findings'),
    })
    .prepare();
  const isUnfinished = and(eq(scans.id, sql.placeholder('scanId')), unfinished);
  const updateStatus = db
    .update(scans)
    .set({ status: sql`${sql.placeholder('status')}` })
    .where(isUnfinished)
    .prepare();
  const finish = db
    .update(scans)
    .set({
      status: sql`${sql.placeholder('status')}`,
      finishedAtMs: sql`${sql.placeholder('atMs')}`,
      errorCode: sql`${sql.placeholder('code')}`,
      errorDetail: sql`${sql.placeholder('detail')}`,
    })
    .where(isUnfinished)
    .returning({ id: scans.id })
    .prepare();
  const ended = db
    .select({ rowid: sql`rowid` })
    .from(scans)
    .where(and(gte(scans.finishedAtMs, 0), lt(scans.finishedAtMs, sql.placeholder('beforeMs'))))
    .limit(pruneBatchRows);
  const deleteEnded = db
    .delete(scans)
    .where(sql`rowid in ${ended}`)
    .returning({ id: scans.id })
    .prepare();
  const keep = db
    .update(scans)
    .set({ interruptions: sql`${scans.interruptions}` })
    .where(eq(scans.id, sql.placeholder('scanId')))
    .prepare();

  return guardStore<ScanStore>(db.$client, {
    insert: (scan) => {
      assertInPlace(db);
      insertScan.run(scan);
    },
    find: (scanId) => {
      const report = recentReports.get(scanId) ?? readReport(scanId);
      if (report === null) {
        const row = selectScan.get({ scanId });
        return row && { ...row, report };
      }
      return {
        id: scanId,
        url: report.url,
        status: 'done',
        errorCode: null,
        errorDetail: null,
        report,
      };
    },
    readFindings: (scanId) => {
      const row = selectFindings.get({ scanId });
      if (row === undefined) throw new Error(`scan ${scanId} has no report`);
      return JSON.parse(Bun.zstdDecompressSync(row.findings).toString()) as Findings;
    },
    keep: (scanId) => writeSynced(db, () => keep.run({ scanId })),
    markRunning: (scanId) => updateStatus.run({ scanId, status: 'running' }),
    markQueued: (scanId) => updateStatus.run({ scanId, status: 'queued' }),
    markFailed: (scanId, error) => finish.all({ scanId, status: 'failed', ...error }).length > 0,
    complete: async (scanId, { report, findings }) => {
      const compressed = await Bun.zstdCompress(JSON.stringify(findings));
      const atMs = Date.parse(report.scannedAt);
      return db.transaction(() => {
        const done = { scanId, status: 'done', atMs, code: null, detail: null };
        if (finish.all(done).length === 0) return false;
        insertReport.run({ scanId, report, findings: compressed });
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
      const deleted = deleteEnded.all({ beforeMs });
      for (const { id } of deleted) recentReports.delete(id);
      return deleted.length;
    },
  });
}
