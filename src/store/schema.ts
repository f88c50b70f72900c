import { sql } from 'drizzle-orm';
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Report } from '../report/report.ts';

/**
 * One row for each admitted request and policy that counted it.
 *
 * `partition` is a keyed hash of the client. The id is never used twice, so that a receipt given back
 * late cannot remove the row of another request.
 */
export const rateEvents = sqliteTable(
  'rate_events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    policy: text('policy').notNull(),
    partition: text('partition').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    index('rate_events_by_window').on(table.policy, table.partition, table.atMs),
    index('rate_events_by_age').on(table.atMs),
  ],
);

export const scanStatuses = ['queued', 'running', 'done', 'failed'] as const;

/** One row for each scan that was accepted, whichever way it was asked for. */
export const scans = sqliteTable(
  'scans',
  {
    id: text('id').primaryKey(),
    /** Canonical, as it was asked for; of a bare domain the https form. */
    url: text('url').notNull(),
    /** Whether http is tried when https can't be reached. */
    isBareDomain: integer('is_bare_domain', { mode: 'boolean' }).notNull(),
    status: text('status', { enum: scanStatuses }).notNull(),
    /** How often the service died while this scan was running. */
    interruptions: integer('interruptions').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    finishedAtMs: integer('finished_at_ms'),
    errorCode: text('error_code'),
    errorDetail: text('error_detail'),
  },
  (table) => [
    index('scans_unfinished')
      .on(table.createdAtMs)
      .where(sql`${table.status} in ('queued', 'running')`),
    index('scans_by_end').on(table.finishedAtMs),
  ],
);

export type ScanRow = typeof scans.$inferSelect;

/** The result of a scan that is done. */
export const reports = sqliteTable('reports', {
  scanId: text('scan_id')
    .primaryKey()
    .references(() => scans.id, { onDelete: 'cascade' }),
  /** A `Report`: small, and read by every poll. */
  report: text('report', { mode: 'json' }).$type<Report>().notNull(),
  /** `Findings` as JSON under zstd: every element that axe spoke of, some megabytes on large pages. */
  findings: blob('findings', { mode: 'buffer' }).notNull(),
});
