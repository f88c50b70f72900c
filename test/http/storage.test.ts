import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/server-process.ts';
import { createTestApp } from '../support/test-app.ts';

const getPath = '/api/v1/scan?url=https%3A%2F%2Fexample.com';

/** The app with its database in a file, and a scan that is done. */
async function createStoredApp() {
  const folder = await temporaryFolder();
  const databasePath = join(folder.path, 'scans.sqlite');
  const app = await createTestApp({ environment: { DATABASE_PATH: databasePath } });
  const { scanId } = await (await app.get(getPath)).json();
  return {
    app,
    databasePath,
    pollPath: `/api/v1/scan/${scanId}`,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const remaining = (response: Response) => response.headers.get('ratelimit-remaining');

test('a request that cannot be counted is refused with 503, while polls are answered', async () => {
  await using stored = await createStoredApp();
  const { app, databasePath, pollPath } = stored;
  const other = new Database(databasePath);
  other.run('BEGIN IMMEDIATE');
  for (const answer of [await app.get(getPath), await app.post({ url: 'example.com' })]) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({ code: 'storage-unavailable', status: 503 });
  }
  expect(remaining(await app.get(getPath))).toBe('9');
  const poll = await app.get(pollPath);
  expect([poll.status, remaining(poll)]).toEqual([200, '99']);

  other.run('ROLLBACK');
  other.close();
  const next = await app.get(getPath);
  expect([next.status, remaining(next)]).toEqual([200, '8']);
});

test('a scan that cannot be stored is refused with 503 and given back', async () => {
  await using stored = await createStoredApp();
  const { app, databasePath, pollPath } = stored;
  renameSync(databasePath, `${databasePath}.away`);
  const refused = await app.get(getPath);
  expect([refused.status, remaining(refused)]).toEqual([503, '9']);
  expect(await refused.json()).toMatchObject({ code: 'storage-unavailable' });
  expect((await app.get(pollPath)).status).toBe(200);

  renameSync(`${databasePath}.away`, databasePath);
  const next = await app.get(getPath);
  expect([next.status, remaining(next)]).toEqual([200, '8']);
});

test('where the counters cannot be read, requests are refused and polls are answered without limits', async () => {
  await using stored = await createStoredApp();
  const { app, databasePath, pollPath } = stored;
  const other = new Database(databasePath);
  const [[page] = []] = other
    .query("select rootpage from sqlite_master where name = 'rate_events_by_window'")
    .values();
  // A write of another connection makes the app read the page anew.
  other.run('delete from rate_events');
  other.run('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  const garbage = new Uint8Array(4_096).fill(7);
  writeSync(openSync(databasePath, 'r+'), garbage, 0, 4_096, (Number(page) - 1) * 4_096);
  const refused = await app.get(getPath);
  expect([refused.status, remaining(refused)]).toEqual([503, null]);
  const poll = await app.get(pollPath);
  expect([poll.status, remaining(poll)]).toEqual([200, null]);
});
