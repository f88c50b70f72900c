import { expect, test } from 'bun:test';
import { createTestApp } from '../support/test-app.ts';

const exposed = [
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Location',
  'Link',
  'Deprecation',
];

test.each([
  ['a report', '/api/v1/scan?url=example.com', 200],
  ['a legacy report', '/api/public-scan?url=example.com', 200],
  ['a refusal', '/api/v1/scan', 400],
  ['a legacy refusal', '/api/public-scan', 400],
  ['an unknown scan', '/api/v1/scan/none', 404],
  ['an unknown path', '/api/v1/nothing', 404],
])('%s may be read from any origin, with its fields', async (_, path, status) => {
  await using app = await createTestApp();
  const response = await app.get(path, { origin: 'https://tool.example' });
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  expect(response.headers.has('vary')).toBe(false);
  const fields = response.headers.get('access-control-expose-headers')?.split(', ');
  expect(fields).toEqual(expect.arrayContaining(exposed));
});

test('a 429 may be read from any origin', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_GET: '1/1h' } });
  await app.get('/api/v1/scan?url=example.com');
  const response = await app.get('/api/v1/scan?url=example.com');
  expect(response.status).toBe(429);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

test.each(['/api/v1/scan', '/api/v1/scan/some-id', '/api/public-scan', '/api/v1/nothing'])(
  'a preflight for %s is allowed and not counted',
  async (path) => {
    await using app = await createTestApp();
    const response = await app.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://tool.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, prefer',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toBe(
      'content-type, prefer',
    );
    expect(response.headers.get('ratelimit-remaining')).toBe('100');
    const next = await app.get('/api/v1/scan/none');
    expect(next.headers.get('ratelimit-remaining')).toBe('100');
  },
);
