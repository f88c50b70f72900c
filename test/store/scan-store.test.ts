import type { Database } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import type { Findings, Report } from '../../src/report/report.ts';
import { type Db, openDatabase } from '../../src/store/database.ts';
import { createScanStore, type ScanStore } from '../../src/store/scan-store.ts';
import { reports, scans } from '../../src/store/schema.ts';

interface Plan {
  readonly detail: string;
}

function createTestStore() {
  const { db } = openDatabase(':memory:');
  return { db, store: createScanStore(db) };
}

function rowOf(db: Db, id: string) {
  return db.select().from(scans).where(eq(scans.id, id)).get();
}

function insert(store: ScanStore, id: string, createdAtMs = 1_000): void {
  store.insert({ id, url: 'https://example.com/', isBareDomain: false, createdAtMs });
}

const endedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function resultOf(atMs = endedAtMs): { report: Report; findings: Findings } {
  const words = { description: 'd', help: 'h', helpUrl: 'https://help.example/', tags: ['wcag2a'] };
  const violation = { id: 'image-alt', impact: 'critical', ...words } as const;
  const node = {
    html: '<img src="ä🦄\0\ud7ff">',
    target: ['#frame', ['#host', 'img']],
    impact: null,
    failureSummary: undefined,
    any: [{ id: 'has-alt', data: { nested: [1, null] } }],
    all: [],
    none: [],
  };
  return {
    report: {
      url: 'https://example.com/',
      finalUrl: 'https://www.example.com/ä',
      score: 75,
      label: null,
      summary: { critical: 1, serious: 0, moderate: 0, minor: 0, total: 1 },
      violations: [{ ...violation, count: 2 }],
      needsReviewCount: 0,
      rulesNotCompleted: [],
      warnings: ['Parts may be missing.'],
      scannedAt: new Date(atMs).toISOString(),
      durationMs: 1_234,
      engine: { name: 'axe-core', version: '4.14.1' },
    },
    findings: { violations: [{ ...violation, count: 2, nodes: [node, node] }], incomplete: [] },
  };
}

const failure = { code: 'not-html', detail: 'It is a picture.', atMs: endedAtMs };

test('a new scan is queued', () => {
  const { db, store } = createTestStore();
  store.insert({
    id: 'a',
    url: 'https://example.com/?q=1',
    isBareDomain: true,
    createdAtMs: 1_000,
  });
  const found = { id: 'a', url: 'https://example.com/?q=1', status: 'queued' } as const;
  const noError = { errorCode: null, errorDetail: null };
  expect(store.find('a')).toMatchObject({ ...found, ...noError, report: null });
  expect(rowOf(db, 'a')).toEqual({
    ...found,
    ...noError,
    isBareDomain: true,
    interruptions: 0,
    createdAtMs: 1_000,
    finishedAtMs: null,
  });
});

test('an id is used once', () => {
  const { store } = createTestStore();
  insert(store, 'a');
  expect(() => insert(store, 'a')).toThrow();
});

describe('an unknown id', () => {
  test.each(['', 'b', "' or 1=1 --", 'A'])('%j finds nothing and changes nothing', async (id) => {
    const { store } = createTestStore();
    insert(store, 'a');
    const before = store.find('a');
    expect(store.find(id)).toBeUndefined();
    expect(() => store.readFindings(id)).toThrow('has no report');
    store.markRunning(id);
    store.markQueued(id);
    expect(store.markFailed(id, failure)).toBe(false);
    expect(await store.complete(id, resultOf())).toBe(false);
    expect(store.find('a')).toEqual(before);
  });
});

test('a scan runs, and can be put back in the queue', () => {
  const { db, store } = createTestStore();
  insert(store, 'a');
  store.markRunning('a');
  expect(store.find('a')?.status).toBe('running');
  store.markQueued('a');
  expect(rowOf(db, 'a')).toMatchObject({ status: 'queued', interruptions: 0 });
});

describe('a scan that is done', () => {
  test('has its report, its findings and the time of its end', async () => {
    const { db, store } = createTestStore();
    const { report, findings } = resultOf();
    insert(store, 'a');
    store.markRunning('a');
    expect(await store.complete('a', { report, findings })).toBe(true);
    expect(store.find('a')).toMatchObject({ id: 'a', status: 'done', errorCode: null, report });
    expect(rowOf(db, 'a')).toMatchObject({
      status: 'done',
      finishedAtMs: endedAtMs,
      errorCode: null,
    });
    expect(store.readFindings('a')).toEqual(findings);
  });

  test('has its findings compressed', async () => {
    const { db, store } = createTestStore();
    const { report, findings } = resultOf();
    const [violation] = findings.violations;
    if (violation === undefined) throw new Error('the sample has a violation');
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({
      html: `<img id="${index}">`,
      target: [`#${index}`],
      impact: violation.impact,
      failureSummary: 'Fix any of the following: no alt',
      any: [],
      all: [],
      none: [],
    }));
    const many: Findings = { violations: [{ ...violation, nodes }], incomplete: [] };
    insert(store, 'a');
    await store.complete('a', { report, findings: many });
    const row = db.select({ bytes: reports.findings }).from(reports).get();
    expect(row?.bytes.length).toBeLessThan(JSON.stringify(many).length / 5);
    // https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
    expect(row?.bytes.subarray(0, 4).toString('hex')).toBe('28b52ffd');
    expect(store.readFindings('a')).toEqual(many);
  });

  test('does not change any more', async () => {
    const { store } = createTestStore();
    insert(store, 'a');
    await store.complete('a', resultOf());
    const done = store.find('a');
    expect(store.markFailed('a', failure)).toBe(false);
    store.markRunning('a');
    store.markQueued('a');
    expect(await store.complete('a', resultOf(endedAtMs + 1))).toBe(false);
    expect(store.find('a')).toEqual(done);
  });

  test.each([999, 1_000, 1_001])('is found again after %d others', async (others) => {
    const { store } = createTestStore();
    const ids = ['first', ...Array.from({ length: others }, (_, index) => String(index))];
    for (const id of ids) insert(store, id);
    for (const id of ids) await store.complete(id, resultOf());
    const found = ids.map((id) => store.find(id));
    expect(found.map((scan) => scan?.id)).toEqual(ids);
    expect(store.find('first')).toEqual(found[0]);
  });

  test('without findings to read throws', () => {
    const { store } = createTestStore();
    insert(store, 'a');
    expect(() => store.readFindings('a')).toThrow('scan a has no report');
  });
});

describe('completing', () => {
  test('stores all or nothing', async () => {
    const { db, store } = createTestStore();
    insert(store, 'a');
    store.markRunning('a');
    db.run(
      sql`create trigger fail before update on scans begin select raise(abort, 'disk full'); end`,
    );
    const error = await store.complete('a', resultOf()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(db.select().from(reports).all()).toEqual([]);
    expect(store.find('a')).toMatchObject({ status: 'running', report: null });
    expect(rowOf(db, 'a')?.finishedAtMs).toBeNull();

    db.run(sql`drop trigger fail`);
    await store.complete('a', resultOf());
    expect(store.find('a')?.status).toBe('done');
  });

  test('a scan that failed meanwhile leaves it failed', async () => {
    const { db, store } = createTestStore();
    insert(store, 'a');
    const completed = store.complete('a', resultOf());
    // Not yet: the findings are compressed first, on another thread.
    expect(store.markFailed('a', { ...failure, code: 'scan-cancelled' })).toBe(true);
    expect(await completed).toBe(false);
    expect(store.find('a')).toMatchObject({
      status: 'failed',
      errorCode: 'scan-cancelled',
      report: null,
    });
    expect(db.select().from(reports).all()).toEqual([]);
  });
});

describe('a scan that failed', () => {
  test.each(['queued', 'running'])('while it was %s says why', (status) => {
    const { db, store } = createTestStore();
    insert(store, 'a');
    if (status === 'running') store.markRunning('a');
    expect(store.markFailed('a', failure)).toBe(true);
    expect(store.find('a')).toMatchObject({
      status: 'failed',
      errorCode: 'not-html',
      errorDetail: 'It is a picture.',
      report: null,
    });
    expect(rowOf(db, 'a')?.finishedAtMs).toBe(endedAtMs);
  });

  test('keeps its first error', () => {
    const { store } = createTestStore();
    insert(store, 'a');
    store.markFailed('a', failure);
    const failed = store.find('a');
    expect(store.markFailed('a', { code: 'scan-failed', detail: 'Later.', atMs: 1 })).toBe(false);
    store.markRunning('a');
    store.markQueued('a');
    expect(store.find('a')).toEqual(failed);
  });
});

describe('recovering', () => {
  test('gives all unfinished scans, oldest first, queued again', async () => {
    const { db, store } = createTestStore();
    for (const [id, createdAtMs] of [
      ['c', 3],
      ['a', 1],
      ['d', 4],
      ['b', 2],
      ['e', 5],
    ] as const) {
      insert(store, id, createdAtMs);
    }
    store.markRunning('c');
    await store.complete('d', resultOf());
    store.markFailed('e', failure);
    expect(
      store.recover().map(({ id, status, interruptions }) => [id, status, interruptions]),
    ).toEqual([
      ['a', 'queued', 0],
      ['b', 'queued', 0],
      ['c', 'queued', 1],
    ]);
    expect(rowOf(db, 'c')).toMatchObject({ status: 'queued', interruptions: 1 });
    expect(rowOf(db, 'd')).toMatchObject({ status: 'done', interruptions: 0 });
    expect(rowOf(db, 'e')).toMatchObject({ status: 'failed', interruptions: 0 });
  });

  test('counts only scans that were running', () => {
    const { store } = createTestStore();
    insert(store, 'a');
    const interruptions = (): number | undefined => store.recover()[0]?.interruptions;
    expect(interruptions()).toBe(0);
    store.markRunning('a');
    expect(interruptions()).toBe(1);
    expect(interruptions()).toBe(1);
    store.markRunning('a');
    expect(interruptions()).toBe(2);
  });

  test('gives scans of the same millisecond in the order in which they came', () => {
    const { store } = createTestStore();
    const ids = ['q', 'b', 'z', 'a', 'm'];
    for (const id of ids) insert(store, id);
    expect(store.recover().map(({ id }) => id)).toEqual(ids);
  });

  test('gives nothing when nothing is left', () => {
    expect(createTestStore().store.recover()).toEqual([]);
  });

  test('does not read the scans that ended', () => {
    const { db, store } = createTestStore();
    const client = (db as Db & { $client: Database }).$client;
    const prepare = spyOn(client, 'prepare');
    store.recover();
    const plans = prepare.mock.calls
      .filter(([query]) => /^(select|update)/i.test(query))
      .map(([query]) => client.query<Plan, []>(`explain query plan ${query}`).all());
    expect(plans).toHaveLength(2);
    for (const [step] of plans) expect(step?.detail).toContain('USING INDEX scans_unfinished');
  });
});

describe('pruning', () => {
  test('removes what ended before the given time, and nothing later', async () => {
    const { store } = createTestStore();
    for (const [id, atMs] of [
      ['a', 4_999],
      ['b', 5_000],
      ['c', 5_001],
    ] as const) {
      insert(store, `done-${id}`);
      await store.complete(`done-${id}`, resultOf(atMs));
      insert(store, `failed-${id}`);
      store.markFailed(`failed-${id}`, { ...failure, atMs });
    }
    expect(store.pruneEndedBefore(5_000)).toBe(2);
    const left = ['done-a', 'failed-a', 'done-b', 'failed-b', 'done-c', 'failed-c'].filter(
      (id) => store.find(id) !== undefined,
    );
    expect(left).toEqual(['done-b', 'failed-b', 'done-c', 'failed-c']);
  });

  test('removes the report with its scan', async () => {
    const { db, store } = createTestStore();
    for (const id of ['a', 'b']) insert(store, id);
    await store.complete('a', resultOf(1_000));
    await store.complete('b', resultOf(2_000));
    expect(store.pruneEndedBefore(2_000)).toBe(1);
    expect(db.select({ scanId: reports.scanId }).from(reports).all()).toEqual([{ scanId: 'b' }]);
    expect(() => store.readFindings('a')).toThrow('has no report');
  });

  test('removes what has been read before', async () => {
    const { store } = createTestStore();
    insert(store, 'a');
    await store.complete('a', resultOf(1_000));
    expect(store.find('a')?.status).toBe('done');
    store.pruneEndedBefore(2_000);
    expect(store.find('a')).toBeUndefined();
  });

  test('leaves unfinished scans, however old', () => {
    const { store } = createTestStore();
    for (const id of ['queued', 'running']) insert(store, id, 0);
    store.markRunning('running');
    expect(store.pruneEndedBefore(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(store.find('queued')).toBeDefined();
    expect(store.find('running')).toBeDefined();
  });

  test('counts from the end of a scan, not from its start', () => {
    const { store } = createTestStore();
    insert(store, 'a', 1_000);
    store.markFailed('a', { ...failure, atMs: 9_000 });
    expect(store.pruneEndedBefore(5_000)).toBe(0);
  });

  test('takes fifty scans at a time', () => {
    const { db, store } = createTestStore();
    const rows = Array.from({ length: 101 }, (_, index) => ({
      id: String(index),
      url: 'https://example.com/',
      isBareDomain: false,
      status: 'failed' as const,
      createdAtMs: 0,
      finishedAtMs: 1,
    }));
    db.insert(scans).values(rows).run();
    db.insert(scans)
      .values({ ...rows[0]!, id: 'later', finishedAtMs: 9 })
      .run();
    expect([1, 2, 3, 4].map(() => store.pruneEndedBefore(5))).toEqual([50, 50, 1, 0]);
    expect(db.select().from(scans).where(eq(scans.id, 'later')).all()).toHaveLength(1);
  });
});
