import { expect, test } from 'bun:test';
import { ScanFailedError } from '../../src/errors.ts';
import { createTestApp, heldRunAxe } from '../support/test-app.ts';

const getPath = '/api/v1/scan?url=https%3A%2F%2Fexample.com';
const legacyPath = '/api/public-scan?url=https%3A%2F%2Fexample.com';
const limits = (response: Response) => ({
  limit: response.headers.get('ratelimit-limit'),
  remaining: response.headers.get('ratelimit-remaining'),
  reset: response.headers.get('ratelimit-reset'),
  policy: response.headers.get('ratelimit-policy'),
  current: response.headers.get('ratelimit'),
});

test('ten GETs an hour are answered, and the eleventh is a 429 until the first has left the window', async () => {
  await using app = await createTestApp();
  const first = await app.get(getPath);
  expect(limits(first)).toEqual({
    limit: '10',
    remaining: '9',
    reset: '3600',
    policy: '"scan-get";q=10;w=3600, "scan-total";q=100;w=86400',
    current: '"scan-get";r=9;t=3600',
  });
  app.clock.nowMs += 60_000;
  for (let count = 2; count <= 10; count += 1) expect((await app.get(getPath)).status).toBe(200);

  const refused = await app.get(getPath);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('3540');
  expect(limits(refused)).toMatchObject({ limit: '10', remaining: '0', reset: '3540' });
  expect(await refused.json()).toMatchObject({ code: 'quota-exceeded', status: 429 });

  app.clock.nowMs += 3_539_999;
  expect((await app.get(getPath)).status).toBe(429);
  app.clock.nowMs += 1;
  expect((await app.get(getPath)).status).toBe(200);
  expect((await app.get(getPath)).status).toBe(429);
});

test('a hundred POSTs a day are answered, and GET, POST and the legacy path share a hundred', async () => {
  await using app = await createTestApp();
  for (let count = 0; count < 50; count += 1) {
    expect((await app.post({ url: 'https://example.com' })).status).toBe(200);
    expect((await app.get(legacyPath)).status).toBe(200);
  }
  for (const refused of [
    await app.post({ url: 'https://example.com' }),
    await app.get(legacyPath),
    await app.get(getPath),
  ]) {
    expect(refused.status).toBe(429);
    expect(limits(refused).current).toBe('"scan-total";r=0;t=86400');
  }
});

test('a POST has a limit of its own', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_POST: '1/10s' } });
  const post = () => app.post({ url: 'https://example.com' });
  expect(limits(await post())).toMatchObject({ limit: '1', remaining: '0', reset: '10' });
  expect((await post()).status).toBe(429);
  expect((await app.get(getPath)).status).toBe(200);
  app.clock.nowMs += 10_000;
  expect((await post()).status).toBe(200);
});

test.each([
  ['an invalid url', '/api/v1/scan?url=nonsense', 400],
  ['a missing url', '/api/v1/scan', 400],
])('%s counts', async (_, path, status) => {
  await using app = await createTestApp();
  const response = await app.get(path);
  expect(response.status).toBe(status);
  expect(limits(response).remaining).toBe('9');
});

test('a broken body counts', async () => {
  await using app = await createTestApp();
  await app.post('{');
  expect(limits(await app.post('{')).remaining).toBe('98');
});

test('a failed scan counts', async () => {
  await using app = await createTestApp({
    runAxe: () => Promise.reject(new ScanFailedError('error-status', 'It answered 404.')),
  });
  expect(limits(await app.get(getPath))).toMatchObject({ remaining: '9' });
  expect(limits(await app.get(getPath))).toMatchObject({ remaining: '8' });
});

test('a HEAD, which scans as GET does, counts as GET does', async () => {
  await using app = await createTestApp();
  await app.request(getPath, { method: 'HEAD' });
  expect(limits(await app.get(getPath)).remaining).toBe('8');
});

test.each([
  '/api/v1/scan/',
  '/api/v1//scan',
  '//api/v1/scan',
  '/API/v1/scan',
  '/api/v1/%73can',
  '/api/v1/scan;x',
  '/api/public-scan/',
])('%s is no other way to a scan', async (path) => {
  await using app = await createTestApp();
  expect((await app.get(`${path}?url=example.com`)).status).toBe(404);
});

test('a refused request does not count against the other limits', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_GET: '1/1h' } });
  await app.get(getPath);
  expect((await app.get(getPath)).status).toBe(429);
  expect(limits(await app.get(legacyPath)).remaining).toBe('98');
});

test('a 503 is given back', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({
    runAxe,
    environment: { SCAN_CONCURRENCY: '1', MAX_WAITING: '0' },
  });
  await app.post({ url: 'https://running.example', async: true });
  const refused = await app.post({ url: 'https://refused.example', async: true });
  expect(refused.status).toBe(503);
  expect(limits(refused).remaining).toBe('99');
  const again = await app.post({ url: 'https://running.example', async: true });
  expect(limits(again).remaining).toBe('98');
  requests[0]?.release();
});

test('polls and unknown paths of the API tell what is left and cost nothing', async () => {
  await using app = await createTestApp();
  const { scanId } = await (await app.get(getPath)).json();
  for (const path of [`/api/v1/scan/${scanId}`, '/api/v1/scan/none', '/api/v1/nothing']) {
    for (let count = 0; count < 3; count += 1) {
      expect(limits(await app.get(path))).toEqual({
        limit: '100',
        remaining: '99',
        reset: '86400',
        policy: '"scan-total";q=100;w=86400',
        current: '"scan-total";r=99;t=86400',
      });
    }
  }
});

test('limits that are off are not told', async () => {
  await using app = await createTestApp({
    environment: { RATE_LIMIT_GET: 'off', RATE_LIMIT_POST: 'off', RATE_LIMIT_TOTAL: 'off' },
  });
  for (let count = 0; count < 12; count += 1) {
    const response = await app.get(getPath);
    expect(response.status).toBe(200);
    expect(limits(response)).toEqual({
      limit: null,
      remaining: null,
      reset: null,
      policy: null,
      current: null,
    });
  }
});

test('forwarding headers open no partition of their own for a client that is no trusted proxy', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_GET: '1/1h' } });
  await app.get(getPath);
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
    { 'x-real-ip': '203.0.113.9' },
    { 'cf-connecting-ip': '203.0.113.9' },
    { 'true-client-ip': '203.0.113.9' },
    { 'x-client-ip': '203.0.113.9', 'x-remote-addr': '203.0.113.10' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '[2001:db8::1]:443' },
    { 'x-forwarded-for': '__proto__' },
    { 'x-forwarded-for': ',' },
    { 'x-forwarded-for': 'a'.repeat(8_000) },
    { via: '1.1 203.0.113.9' },
    { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.10' },
  ]) {
    expect((await app.get(getPath, headers)).status).toBe(429);
  }
});
