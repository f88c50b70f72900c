import { expect, test } from 'bun:test';
import { createTestApp, pageScan, ruleResult } from '../support/test-app.ts';

const path = '/api/public-scan?url=https%3A%2F%2Fexample.com';

test('the legacy report has all of the versioned one and its own fields', async () => {
  await using app = await createTestApp({
    environment: { OPERATOR_NAME: 'Example Org', PUBLIC_URL: 'https://scan.example.com' },
    runAxe: async () => pageScan({ violations: [ruleResult('image-alt', 'critical', 2)] }),
  });
  const legacy = await (await app.get(path)).json();
  const versioned = await (await app.get(`/api/v1/scan/${legacy.scanId}`)).json();
  expect(legacy).toEqual({
    ...versioned,
    violations: versioned.violations.map((violation: object) => ({
      ...violation,
      wcagTags: ['wcag2a', 'wcag111'],
    })),
    wcagLevel: 'WCAG 2.1 AA',
    poweredBy: 'Example Org',
    docsUrl: 'https://scan.example.com/docs',
  });
  expect(legacy.score).toBe(75);
});

test.each([
  ['a report', path, 200],
  ['a refusal', '/api/public-scan', 400],
])('%s of the legacy path names its successor and no sunset date', async (_, url, status) => {
  await using app = await createTestApp();
  const response = await app.get(url);
  expect(response.status).toBe(status);
  expect(response.headers.get('deprecation')).toMatch(/^@\d{10}$/);
  expect(response.headers.get('link')).toBe('</api/v1/scan>; rel="successor-version"');
  expect(response.headers.has('sunset')).toBe(false);
});

test('a 429 of the legacy path names its successor too', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_TOTAL: '1/1h' } });
  await app.get(path);
  const response = await app.get(path);
  expect(response.status).toBe(429);
  expect(response.headers.get('deprecation')).toMatch(/^@\d{10}$/);
  expect(response.headers.get('link')).toBe('</api/v1/scan>; rel="successor-version"');
});

test('the versioned API is not deprecated', async () => {
  await using app = await createTestApp();
  const response = await app.get('/api/v1/scan?url=example.com');
  expect(response.headers.has('deprecation')).toBe(false);
  expect((await response.json()).poweredBy).toBeUndefined();
});
