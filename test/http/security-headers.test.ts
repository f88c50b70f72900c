import { expect, test } from 'bun:test';
import { ScanFailedError } from '../../src/errors.ts';
import { createTestApp, heldRunAxe } from '../support/test-app.ts';

const closed = "default-src 'none'; frame-ancestors 'none'";

const expectSecured = (response: Response, policy = closed): void => {
  expect({
    policy: response.headers.get('content-security-policy'),
    types: response.headers.get('x-content-type-options'),
    referrer: response.headers.get('referrer-policy'),
    embedding: response.headers.get('cross-origin-resource-policy'),
    transport: response.headers.get('strict-transport-security'),
    server: response.headers.get('server'),
    poweredBy: response.headers.get('x-powered-by'),
  }).toEqual({
    policy,
    types: 'nosniff',
    referrer: 'no-referrer',
    embedding: 'cross-origin',
    transport: null,
    server: null,
    poweredBy: null,
  });
};

test.each([
  ['a report', 'GET', '/api/v1/scan?url=example.com', 200],
  ['the head of a report', 'HEAD', '/api/v1/scan?url=example.com', 200],
  ['a legacy report', 'GET', '/api/public-scan?url=example.com', 200],
  ['a refused URL', 'GET', '/api/v1/scan?url=ftp:x', 400],
  ['a refused query', 'GET', '/api/v1/scan', 400],
  ['an unknown scan', 'GET', '/api/v1/scan/none', 404],
  ['an unknown path', 'GET', '/nothing', 404],
  ['an unknown path of the API', 'DELETE', '/api/v1/scan', 404],
  ['a preflight', 'OPTIONS', '/api/v1/scan', 204],
  ['liveness', 'GET', '/livez', 200],
  ['readiness', 'GET', '/readyz', 200],
  ['the document', 'GET', '/openapi.json', 200],
  ['an asset', 'GET', '/docs/assets/icon.svg', 200],
  ['an unknown asset', 'GET', '/docs/assets/none', 404],
  ['the icon', 'GET', '/favicon.ico', 200],
  ['a redirect', 'GET', '/', 302],
])('%s is secured', async (_, method, path, status) => {
  await using app = await createTestApp();
  const response = await app.request(path, { method });
  expect(response.status).toBe(status);
  expectSecured(response);
});

test('an asset that has not changed is secured', async () => {
  await using app = await createTestApp();
  const path = '/docs/assets/page.css';
  const etag = (await app.get(path)).headers.get('etag') ?? '';
  const response = await app.get(path, { 'if-none-match': etag });
  expect(response.status).toBe(304);
  expectSecured(response);
});

test('202, 429, 500 and 503 are secured', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({
    runAxe: async (request) => {
      if (request.candidates[0].host === 'fails.example') throw new ScanFailedError('not-html', '');
      return runAxe(request);
    },
    environment: { SCAN_CONCURRENCY: '1', MAX_WAITING: '0', RATE_LIMIT_TOTAL: '3/1h' },
  });
  const statuses: number[] = [];
  for (const [url, async] of [
    ['fails.example', false],
    ['a.example', true],
    ['b.example', true],
  ] as const) {
    const response = await app.post({ url, async });
    statuses.push(response.status);
    expectSecured(response);
  }
  await app.get('/api/v1/scan');
  const refused = await app.get('/api/v1/scan');
  expectSecured(refused);
  expect([...statuses, refused.status]).toEqual([500, 202, 503, 429]);
  requests[0]?.release();
});

test.each(['/docs', '/docs/problems'])('%s is secured, with a policy of its own', async (path) => {
  await using app = await createTestApp();
  expectSecured(
    await app.get(path),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' http://localhost:3000; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

test.each([
  ['http://scan.example', null],
  ['https://scan.example', 'max-age=31536000'],
])('reached by %s, browsers are told of transport security: %p', async (PUBLIC_URL, expected) => {
  await using app = await createTestApp({ environment: { PUBLIC_URL } });
  for (const path of ['/docs', '/livez', '/nothing', '/api/v1/scan?url=example.com']) {
    expect((await app.get(path)).headers.get('strict-transport-security')).toBe(expected);
  }
});
