import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, temporaryFolder } from '../support/server-process.ts';
import { until } from '../support/test-app.ts';

/** Serves a good page at every path; those under /held wait until the gate opens. */
let gate = Promise.withResolvers<void>();
let pages: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (new URL(request.url).pathname.startsWith('/held')) await gate.promise;
      return new Response('<!doctype html><html lang="en"><title>Good</title><h1>Good</h1>', {
        headers: { 'content-type': 'text/html' },
      });
    },
  });
});
afterAll(() => pages.stop(true));

const pageUrl = (path: string) => `http://127.0.0.1:${pages.port}${path}`;

async function post(server: { url: string }, path: string) {
  const response = await fetch(`${server.url}/api/v1/scan`, {
    method: 'POST',
    body: JSON.stringify({ url: pageUrl(path), async: true }),
  });
  return response.json();
}

async function poll(server: { url: string }, scanId: string) {
  return (await fetch(`${server.url}/api/v1/scan/${scanId}`)).json();
}

const ended = async (server: { url: string }, scanId: string) =>
  ['done', 'failed'].includes((await poll(server, scanId)).status);

/** What is left tells how many requests for scans have come in. */
async function remainingOf(server: { url: string }): Promise<string | null> {
  const response = await fetch(`${server.url}/api/v1/scan/none`);
  return response.headers.get('ratelimit-remaining');
}

function processesOf(parentPid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
        return Number(fields?.[1]) === parentPid;
      } catch {
        return false;
      }
    });
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('after kill -9 every accepted scan is scanned, every report is there, and counters hold', async () => {
  await using folder = await temporaryFolder();
  const environment = {
    DATABASE_PATH: join(folder.path, 'scans.sqlite'),
    SCAN_CONCURRENCY: '1',
    RATE_LIMIT_POST: '10/1h',
  };
  gate = Promise.withResolvers();
  await using first = await startServer(environment);
  const done = await post(first, '/done');
  await until(() => ended(first, done.scanId));
  const report = await poll(first, done.scanId);
  const running = await post(first, '/held/running');
  await until(async () => (await poll(first, running.scanId)).status === 'running');
  const queued = await post(first, '/held/queued');
  const [browserPid = 0] = processesOf(first.pid);
  expect(browserPid).toBeGreaterThan(0);
  expect(await first.stop('SIGKILL')).not.toBe(0);
  await until(() => !isAlive(browserPid));

  gate.resolve();
  await using second = await startServer(environment);
  for (const { scanId } of [running, queued]) {
    await until(() => ended(second, scanId));
    expect(await poll(second, scanId)).toMatchObject({ scanId, status: 'done', score: 100 });
  }
  expect(await poll(second, done.scanId)).toEqual(report);
  const next = await fetch(`${second.url}/api/v1/scan`, { method: 'POST', body: '{}' });
  expect(next.headers.get('ratelimit-remaining')).toBe('6');
}, 60_000);

test('a scan that was running at two deaths fails with its own code', async () => {
  await using folder = await temporaryFolder();
  const environment = { DATABASE_PATH: join(folder.path, 'scans.sqlite') };
  gate = Promise.withResolvers();
  let scanId = '';
  for (let death = 1; death <= 2; death += 1) {
    await using server = await startServer(environment);
    if (death === 1) ({ scanId } = await post(server, '/held/deadly'));
    await until(async () => (await poll(server, scanId)).status === 'running');
    await server.stop('SIGKILL');
  }
  await using server = await startServer(environment);
  expect(await poll(server, scanId)).toMatchObject({
    status: 'failed',
    error: { code: 'scan-interrupted', status: 500, scanId },
  });
  gate.resolve();
}, 60_000);

test('SIGTERM lets a running scan end for its client, hands the waiting one back, and leaves nothing', async () => {
  await using folder = await temporaryFolder();
  const environment = {
    DATABASE_PATH: join(folder.path, 'scans.sqlite'),
    SCAN_CONCURRENCY: '1',
    TMPDIR: folder.path,
    RATE_LIMIT_TOTAL: '100/1d',
  };
  gate = Promise.withResolvers();
  await using first = await startServer(environment);
  const url = encodeURIComponent(pageUrl('/held/running'));
  const running = fetch(`${first.url}/api/v1/scan?url=${url}`);
  await until(() => processesOf(first.pid).length > 0);
  const kept = await post(first, '/held/running');
  await until(async () => (await poll(first, kept.scanId)).status === 'running');
  const waiting = await post(first, '/held/waiting');
  const waitingUrl = encodeURIComponent(pageUrl('/held/waiting'));
  const waitingClient = fetch(`${first.url}/api/v1/scan?url=${waitingUrl}`);
  await until(async () => (await remainingOf(first)) === '96');
  const browserPids = processesOf(first.pid);

  process.kill(first.pid, 'SIGTERM');
  const refused = await waitingClient;
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({ code: 'shutting-down', scanId: waiting.scanId });
  gate.resolve();
  const response = await running;
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ scanId: kept.scanId, status: 'done' });
  expect(await first.exited).toBe(0);
  expect(browserPids.filter(isAlive)).toEqual([]);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('curbcut-profile'))).toEqual([]);

  await using second = await startServer(environment);
  await until(() => ended(second, waiting.scanId));
  expect(await poll(second, waiting.scanId)).toMatchObject({ status: 'done' });
  expect(await poll(second, kept.scanId)).toMatchObject({ status: 'done' });
}, 60_000);
