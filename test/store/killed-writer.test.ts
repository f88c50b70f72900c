import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryFolder } from '../support/server-process.ts';

const deaths = 5;

/** Scans, counts and deletes as fast as it can, and says what is stored after each step. */
const script = (path: string, life: number): string => `
  const load = (name) => import(new URL(name, ${JSON.stringify(import.meta.url)}).href);
  const { openDatabase } = await load('../../src/store/database.ts');
  const { createScanStore } = await load('../../src/store/scan-store.ts');
  const { createRateCounterStore } = await load('../../src/store/rate-counter-store.ts');
  const { pageScan, ruleResult } = await load('../support/test-app.ts');
  const { reportFromAxe } = await load('../../src/report/from-axe.ts');
  const database = openDatabase(${JSON.stringify(path)});
  const store = createScanStore(database.db);
  const counters = createRateCounterStore(database.db);
  const violations = [ruleResult('image-alt', 'critical', 2_000)];
  const result = reportFromAxe({ ...pageScan({ violations }), startedAtMs: 0, endedAtMs: 1 });
  const { writeSync } = require('node:fs');
  store.recover();
  for (let number = 0; ; number++) {
    const id = '${life}-' + number;
    counters.transact(() => ['get', 'total'].map((policy) => counters.record(policy, 'client', 1)));
    writeSync(1, 'counted ' + id + '\\n');
    store.insert({ id, url: 'https://example.com/', isBareDomain: false, createdAtMs: number });
    writeSync(1, 'accepted ' + id + '\\n');
    store.markRunning(id);
    await store.complete(id, result);
    writeSync(1, 'done ' + id + '\\n');
    store.insert({ id: 'old ' + id, url: 'x'.repeat(9_000), isBareDomain: false, createdAtMs: 0 });
    store.markFailed('old ' + id, { code: 'not-html', detail: 'It is old.', atMs: 0 });
    if (number % 5 === 4) while (store.pruneEndedBefore(1) > 0);
    if (number % 5 === 4) while (database.reclaimSpace() > 0);
  }`;

test('a writer that is killed again and again leaves all that it had stored, and nothing half', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'scans.sqlite');
  const said: Record<string, string[]> = { counted: [], accepted: [], done: [] };
  for (let life = 0; life < deaths; life++) {
    const child = Bun.spawn([process.execPath, '-e', script(path, life)], { stdout: 'pipe' });
    // Another moment of its work each time.
    const lastWords = 30 + 7 * (life % 30);
    let output = '';
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      if (output.split('\n').length > lastWords) child.kill('SIGKILL');
    }
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    for (const line of output.split('\n').slice(0, -1)) {
      const [what = '', id = ''] = line.split(' ');
      said[what]?.push(id);
    }

    openDatabase(path).close();
    const database = new Database(path);
    const column = (query: string): unknown[] => database.query(query).values().flat();
    expect(column('PRAGMA integrity_check')).toEqual(['ok']);
    expect(column('PRAGMA foreign_key_check')).toEqual([]);
    const done = column("select id from scans where status = 'done' order by id");
    expect(column('select scan_id from reports order by scan_id')).toEqual(done);
    expect(done).toEqual(expect.arrayContaining(said['done'] ?? []));
    expect(column('select id from scans')).toEqual(expect.arrayContaining(said['accepted'] ?? []));
    const [gets, totals] = ['get', 'total'].map((policy) =>
      Number(column(`select count(*) from rate_events where policy = '${policy}'`)[0]),
    );
    expect([gets]).toEqual([totals]);
    expect(gets).toBeGreaterThanOrEqual(said['counted']?.length ?? 0);
    // The last of each life may have been stored before it could be said.
    expect(gets).toBeLessThanOrEqual((said['counted']?.length ?? 0) + life + 1);
    database.close();
  }
}, 120_000);
