import { Database } from 'bun:sqlite';
import { reportFromAxe } from '../../../src/report/from-axe.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { pageScan, ruleResult } from '../../support/test-app.ts';

/** Of every stored scan: what a page with a few violations gives. */
export const sampleResult = reportFromAxe({
  ...pageScan({
    violations: [
      ruleResult('image-alt', 'critical', 3),
      ruleResult('color-contrast', 'serious', 12),
      ruleResult('region', 'moderate', 2),
    ],
  }),
  startedAtMs: 0,
  endedAtMs: 1_000,
});

/** So many counted requests are those of one client. */
const countsOfClient = 100;
const hourMs = 3_600_000;

interface SeedOptions {
  /** Scans that are done, and as many counted requests, of the last hour. */
  readonly stored: number;
  /** As many more of the hour before. */
  readonly older: number;
}

/** Fills a new database, with ids as the service makes them. */
export function seedDatabase(path: string, { stored, older }: SeedOptions): void {
  openDatabase(path).close();
  using sqlite = new Database(path);
  sqlite.run('PRAGMA synchronous = OFF');
  sqlite.run('PRAGMA cache_size = -1000000');
  const insertScan = sqlite.prepare(
    `insert into scans (id, url, is_bare_domain, status, created_at_ms, finished_at_ms)
     values (?, 'https://example.com/', 0, 'done', ?, ?)`,
  );
  const insertReport = sqlite.prepare('insert into reports values (?, ?, ?)');
  const insertEvent = sqlite.prepare(
    "insert into rate_events (policy, partition, at_ms) values ('scan-total', ?, ?)",
  );
  const report = JSON.stringify(sampleResult.report);
  const findings = Bun.zstdCompressSync(JSON.stringify(sampleResult.findings));
  const add = (count: number, fromMs: number): void => {
    for (let index = 0; index < count; index += 1) {
      const atMs = fromMs + Math.floor((index * hourMs) / count);
      const id = Bun.randomUUIDv7('hex', atMs - 1_000);
      insertScan.run(id, atMs - 1_000, atMs);
      insertReport.run(id, report, findings);
      // As long as a real key.
      const client = String(Bun.hash(String(Math.floor(index / countsOfClient))));
      insertEvent.run(client.padStart(43, 'x'), atMs);
    }
  };
  const now = Date.now();
  sqlite.transaction(() => {
    add(older, now - 2 * hourMs);
    add(stored, now - hourMs);
  })();
  sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** The ids of so many scans, all over the table. */
export function sampleIds(path: string, count: number): string[] {
  using sqlite = new Database(path, { readonly: true });
  const rows = sqlite
    .query<{ id: string }, [number, number]>(
      `select id from scans
       where rowid % max(1, (select max(rowid) from scans) / ?) = 0 limit ?`,
    )
    .all(count, count);
  return rows.map(({ id }) => id);
}

/** When the last hour of the scans begins. */
export function lastHourOf(path: string): number {
  using sqlite = new Database(path, { readonly: true });
  const [[latest] = []] = sqlite.query('select max(finished_at_ms) from scans').values();
  return Number(latest) - hourMs;
}
