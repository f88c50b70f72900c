import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { ScanFailedError } from '../../src/errors.ts';
import { reportBodySchema } from '../../src/http/report-body.ts';
import { createTestApp, heldRunAxe, pageScan, ruleResult, until } from '../support/test-app.ts';

const pagePath = `/api/v1/scan?url=${encodeURIComponent('https://example.com/a?b=c&d=e#f')}`;

test('GET waits for the scan and answers 200 with the whole report', async () => {
  await using app = await createTestApp({
    runAxe: async ({ candidates }) => {
      app.clock.nowMs += 1_234;
      return pageScan({
        url: candidates[0].href,
        finalUrl: 'https://www.example.com/home',
        violations: [ruleResult('color-contrast', 'serious', 3)],
        incomplete: [ruleResult('video-caption', 'critical')],
        rulesNotCompleted: [],
        warnings: ['One frame was left out.'],
      });
    },
  });
  const response = await app.get(pagePath);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toStartWith('application/json');
  const report = await response.json();
  expect(report).toEqual({
    scanId: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    status: 'done',
    url: 'https://example.com/a?b=c&d=e',
    finalUrl: 'https://www.example.com/home',
    score: 90,
    label: null,
    violationCount: 1,
    summary: { critical: 0, serious: 1, moderate: 0, minor: 0, total: 1 },
    violations: [
      {
        id: 'color-contrast',
        impact: 'serious',
        description: 'What color-contrast checks',
        help: 'What to do about color-contrast',
        helpUrl: 'https://rules.example/color-contrast',
        count: 3,
      },
    ],
    needsReviewCount: 1,
    rulesNotCompleted: [],
    warnings: ['One frame was left out.'],
    scannedAt: '2026-01-01T00:00:01.234Z',
    durationMs: 1_234,
    engine: { name: 'axe-core', version: '4.14.1' },
  });
});

test('a report lists ten violations at most, and counts them all', async () => {
  const violations = Array.from({ length: 12 }, (_, index) =>
    ruleResult(`rule-${index}`, index < 2 ? 'critical' : 'minor', index + 1),
  );
  await using app = await createTestApp({ runAxe: async () => pageScan({ violations }) });
  const report = await (await app.get(pagePath)).json();
  expect(report.violationCount).toBe(12);
  expect(report.summary.total).toBe(12);
  expect(report.score).toBe(30);
  expect(report.violations.map(({ id }: { id: string }) => id)).toEqual(
    [1, 0, 11, 10, 9, 8, 7, 6, 5, 4].map((index) => `rule-${index}`),
  );
});

test('POST answers 200 with the report when it is ready within the wait', async () => {
  await using app = await createTestApp();
  const response = await app.post({ url: 'https://example.com/' });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    status: 'done',
    score: 100,
    label: 'WCAG AA Verified',
  });
});

test.each([
  ['"async": true', { url: 'example.com', async: true }, {}, null],
  ['Prefer: respond-async', { url: 'example.com' }, { prefer: 'respond-async' }, 'respond-async'],
  ['Prefer: wait=0', { url: 'example.com' }, { prefer: 'wait=0' }, 'wait=0'],
])('POST with %s answers 202 at once', async (_, body, headers, applied) => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe });
  const response = await app.post(body, headers);
  expect(response.status).toBe(202);
  const ticket = await response.json();
  expect(ticket).toEqual({
    scanId: expect.any(String),
    status: expect.stringMatching(/^(queued|running)$/),
    url: 'https://example.com/',
  });
  expect(response.headers.get('location')).toBe(`/api/v1/scan/${ticket.scanId}`);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('preference-applied')).toBe(applied);
  requests[0]?.release();
});

test('POST answers 202 when the wait is over before the scan', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe, environment: { POST_WAIT_SECONDS: '0' } });
  const response = await app.post({ url: 'https://example.com/' });
  expect(response.status).toBe(202);
  requests[0]?.release();
});

test('POST with "async": false waits as GET does, whatever Prefer and the wait say', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe, environment: { POST_WAIT_SECONDS: '0' } });
  const answer = app.post(
    { url: 'https://example.com/', async: false },
    { prefer: 'respond-async' },
  );
  await until(() => requests.length === 1);
  requests[0]?.release();
  const response = await answer;
  expect(response.status).toBe(200);
  expect(response.headers.get('preference-applied')).toBeNull();
});

test('a poll tells queued, running and done, with Retry-After until it is done', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe, environment: { SCAN_CONCURRENCY: '1' } });
  await app.post({ url: 'https://first.example/', async: true });
  const { scanId } = await (await app.post({ url: 'https://second.example/', async: true })).json();
  const poll = () => app.get(`/api/v1/scan/${scanId}`);

  const queued = await poll();
  expect(queued.status).toBe(200);
  expect(queued.headers.get('retry-after')).toBe('2');
  expect(await queued.json()).toEqual({ scanId, status: 'queued', url: 'https://second.example/' });

  requests[0]?.release();
  await until(() => requests.length === 2);
  expect(await (await poll()).json()).toEqual({
    scanId,
    status: 'running',
    url: 'https://second.example/',
  });

  requests[1]?.release();
  let done = await poll();
  await until(async () => {
    done = await poll();
    return !done.headers.has('retry-after');
  });
  expect(await done.json()).toMatchObject({ scanId, status: 'done', score: 100 });
});

test('every poll of a scan that is done gives the report as GET did', async () => {
  await using app = await createTestApp({
    runAxe: async () => pageScan({ violations: [ruleResult('image-alt', 'critical', 3)] }),
  });
  const answer = await app.get(pagePath);
  const report = await answer.json();
  expect(Value.Check(reportBodySchema, report)).toBe(true);
  for (const poll of [1, 2].map(() => app.get(`/api/v1/scan/${report.scanId}`))) {
    const { status, headers } = await poll;
    expect([status, headers.get('retry-after')]).toEqual([200, null]);
    expect(headers.get('content-type')).toBe(answer.headers.get('content-type'));
    expect(await (await poll).json()).toEqual(report);
  }
});

test('a scan that fails is a 500 with its code for who waits, and a 200 with the error for who polls', async () => {
  await using app = await createTestApp({
    runAxe: () => Promise.reject(new ScanFailedError('connection-refused', 'It refused.')),
  });
  const response = await app.get(pagePath);
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = await response.json();
  expect(problem).toEqual({
    type: 'http://localhost:3000/docs/problems#connection-refused',
    title: 'The server refused the connection',
    status: 500,
    detail: 'It refused.',
    instance: `/api/v1/scan/${problem.scanId}`,
    code: 'connection-refused',
    scanId: expect.any(String),
  });
  const poll = await app.get(`/api/v1/scan/${problem.scanId}`);
  expect(poll.status).toBe(200);
  expect(poll.headers.has('retry-after')).toBe(false);
  expect(await poll.json()).toEqual({
    scanId: problem.scanId,
    status: 'failed',
    url: 'https://example.com/a?b=c&d=e',
    error: problem,
  });
});

test('identical URLs in flight share one scan', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe });
  const bodies = await Promise.all(
    ['https://example.com/#a', 'HTTPS://EXAMPLE.com', 'https://example.com:443/'].map(async (url) =>
      (await app.post({ url, async: true })).json(),
    ),
  );
  expect(new Set(bodies.map(({ scanId }) => scanId)).size).toBe(1);
  expect(requests).toHaveLength(1);
  requests[0]?.release();
});

test('a client that hangs up frees a synchronous scan that nobody else waits for', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe });
  const client = new AbortController();
  const answer = app.request(pagePath, { signal: client.signal });
  await until(() => requests.length === 1);
  client.abort();
  await answer;
  expect(requests[0]?.signal.aborted).toBe(true);
});

test('a client that hangs up leaves an asynchronous scan running', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({ runAxe });
  await app.post({ url: 'https://example.com/', async: true });
  const client = new AbortController();
  const answer = app.request('/api/v1/scan?url=https://example.com/', { signal: client.signal });
  client.abort();
  await answer;
  expect(requests[0]?.signal.aborted).toBe(false);
  requests[0]?.release();
});

test('a full service answers 503 with Retry-After, and takes scans again when there is room', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({
    runAxe,
    environment: { SCAN_CONCURRENCY: '1', MAX_WAITING: '1' },
  });
  const start = (name: string) => app.post({ url: `https://${name}.example/`, async: true });
  expect((await start('running')).status).toBe(202);
  expect((await start('waiting')).status).toBe(202);
  const refused = await start('refused');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'queue-full', status: 503 });

  requests[0]?.release();
  await until(() => requests.length === 2);
  expect((await start('refused')).status).toBe(202);
  for (const request of requests) request.release();
  await until(() => requests.length === 3);
  requests[2]?.release();
});

test.each(['/api/v1/scan?url=example.com', '/api/public-scan?url=example.com'])(
  'a page that is being scanned cannot start another scan: %s',
  async (path) => {
    await using app = await createTestApp();
    const scanner =
      'Mozilla/5.0 (X11) Chrome/153.0.0.0 Safari/537.36 Curbcut/1.0.0 (+https://scan.example/docs)';
    const refused = await app.get(path, { 'user-agent': scanner });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'recursive-scan', status: 400 });
    expect((await app.get(path, { 'user-agent': 'Curbcut-Action/1.0' })).status).toBe(200);
  },
);
