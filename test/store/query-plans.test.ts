import { expect, spyOn, test } from 'bun:test';
import { openDatabase } from '../../src/store/database.ts';
import { createRateCounterStore } from '../../src/store/rate-counter-store.ts';
import { createScanStore } from '../../src/store/scan-store.ts';

/** The plan of every statement of the stores that looks for rows, by its first words. */
function plansOf(): Map<string, string[]> {
  const { db } = openDatabase(':memory:');
  const prepare = spyOn(db.$client, 'prepare');
  createScanStore(db).recover();
  createRateCounterStore(db);
  const statements = prepare.mock.calls.map(([statement]) => statement.trim());
  return new Map(
    statements
      .filter((statement) => !statement.startsWith('insert'))
      .map((statement) => [
        statement,
        db.$client
          .query<{ detail: string }, []>(`explain query plan ${statement}`)
          .all()
          .map(({ detail }) => detail),
      ]),
  );
}

/** What looks at all rows of one of our tables, or sorts. The index holds unfinished scans alone. */
function isSlow(step: string): boolean {
  return (
    /^SCAN (?!json_each)|TEMP B-TREE|AUTOMATIC/.test(step) &&
    step !== 'SCAN scans USING INDEX scans_unfinished'
  );
}

test('no statement of the stores looks at more rows than it needs', () => {
  const plans = plansOf();
  expect(plans.size).toBe(13);
  for (const plan of plans.values()) expect(plan.filter(isSlow)).toEqual([]);
});

test.each([
  ['a poll', 'select "id", "url"', 'scans USING INDEX sqlite_autoindex_scans_1 (id=?)'],
  ['a poll', 'select report', 'reports USING INDEX sqlite_autoindex_reports_1 (scan_id=?)'],
  [
    'retention of scans',
    'delete from "scans"',
    'scans USING COVERING INDEX scans_by_end (finished_at_ms>? AND finished_at_ms<?)',
  ],
  [
    'retention of scans',
    'delete from "scans"',
    'reports USING COVERING INDEX sqlite_autoindex_reports_1 (scan_id=?)',
  ],
  [
    'the limiter',
    'select count(*)',
    'rate_events USING COVERING INDEX rate_events_by_window (policy=? AND partition=? AND at_ms>?)',
  ],
  [
    'retention of counts',
    'delete from "rate_events" where "rate_events"."id" in (select "id"',
    'rate_events USING COVERING INDEX rate_events_by_age (at_ms<?)',
  ],
])('%s goes by the index: %s searches %s', (_, words, index) => {
  const [, plan] = [...plansOf()].find(([statement]) => statement.startsWith(words)) ?? [];
  expect(plan).toContain(`SEARCH ${index}`);
});
