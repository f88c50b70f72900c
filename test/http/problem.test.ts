import { expect, test } from 'bun:test';
import { createTestApp } from '../support/test-app.ts';

const answersOf = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('content-type'),
  body: await response.json(),
});

test.each([
  ['no body', '', 'invalid-body', 'JSON'],
  ['broken JSON', '{', 'invalid-body', 'JSON'],
  ['a form', 'url=https://example.com', 'invalid-body', 'JSON'],
  ['null', 'null', 'invalid-body', 'object'],
  ['an array', '[]', 'invalid-body', 'object'],
  ['a string', '"https://example.com"', 'invalid-body', 'object'],
  ['no url', '{}', 'invalid-url', 'url must be a string'],
  ['another case', '{"URL":"https://example.com"}', 'invalid-url', 'url must be a string'],
  [
    'an inherited url',
    '{"__proto__":{"url":"https://example.com"}}',
    'invalid-url',
    'url must be a string',
  ],
  ['a number as url', '{"url":1}', 'invalid-url', 'url must be a string'],
  ['an array as url', '{"url":["https://example.com"]}', 'invalid-url', 'url must be a string'],
  ['an empty url', '{"url":""}', 'invalid-url', 'empty'],
  ['async as text', '{"url":"https://example.com","async":"true"}', 'invalid-body', 'async'],
  ['deep nesting', '['.repeat(30_000), 'invalid-body', 'JSON'],
  [
    'too much of it',
    `{"url":"https://example.com/${'a'.repeat(65_536)}"}`,
    'invalid-body',
    '64 KiB',
  ],
  ['a long url', `{"url":"https://example.com/${'a'.repeat(60_000)}"}`, 'invalid-url', '2048'],
])('a body with %s is a 400', async (_, body, code, words) => {
  await using app = await createTestApp();
  const answer = await answersOf(await app.post(body));
  expect(answer).toMatchObject({ status: 400, type: 'application/problem+json', body: { code } });
  expect(answer.body.detail).toContain(words);
});

test.each([
  ['application/json', '{"url":"https://example.com"}'],
  ['text/plain', '{"url":"https://example.com"}'],
  ['application/x-www-form-urlencoded', '{"url":"https://example.com"}'],
  ['application/json', '\uFEFF{"url":"https://example.com"}'],
  ['application/json', '{"url":"https://example.com","unknown":1}'],
])('a body of type %s that is the JSON expected is taken: %s', async (contentType, body) => {
  await using app = await createTestApp();
  expect((await app.post(body, { 'content-type': contentType })).status).toBe(200);
});

test.each([
  ['is missing', '/api/v1/scan', 'missing'],
  ['is missing from the legacy path', '/api/public-scan', 'missing'],
  ['is empty', '/api/v1/scan?url=', 'empty'],
  ['has another scheme', '/api/v1/scan?url=ftp%3A%2F%2Fexample.com', 'http or https'],
  ['has a password', '/api/v1/scan?url=https%3A%2F%2Fme%3Asecret%40example.com', 'password'],
  ['is a loopback address', '/api/v1/scan?url=http%3A%2F%2F2130706433%2F', 'not a public address'],
  [
    'is a private IPv6 address',
    '/api/v1/scan?url=http%3A%2F%2F[fd00%3A%3A1]%2F',
    'not a public address',
  ],
])('a url that %s is a 400 that says so', async (_, path, words) => {
  await using app = await createTestApp();
  const answer = await answersOf(await app.get(path));
  expect(answer).toMatchObject({
    status: 400,
    type: 'application/problem+json',
    body: { code: 'invalid-url' },
  });
  expect(answer.body.detail).toContain(words);
});

test('problem details have all members, and a type that leads to an explanation', async () => {
  await using app = await createTestApp({
    environment: { PUBLIC_URL: 'https://scan.example.com/' },
  });
  const { body } = await answersOf(await app.get('/api/v1/scan?url=ftp%3A%2F%2Fexample.com'));
  expect(body).toEqual({
    type: 'https://scan.example.com/docs/problems#invalid-url',
    title: 'The URL cannot be scanned',
    status: 400,
    detail: expect.any(String),
    instance: '/api/v1/scan',
    code: 'invalid-url',
  });
});

test.each([
  ['an unknown path', '/api/v1/nothing', {}, 'not-found'],
  ['an unknown path outside of the API', '/nothing', {}, 'not-found'],
  ['a trailing slash', '/api/v1/scan/', {}, 'not-found'],
  ['a wrong method', '/api/v1/scan', { method: 'DELETE' }, 'not-found'],
  ['an unknown scan', '/api/v1/scan/00000000-0000-4000-8000-000000000000', {}, 'scan-not-found'],
  ['a garbled scan id', '/api/v1/scan/%00%ff', {}, 'scan-not-found'],
])('%s is a 404', async (_, path, init, code) => {
  await using app = await createTestApp();
  const answer = await answersOf(await app.request(path, init));
  expect(answer).toMatchObject({
    status: 404,
    type: 'application/problem+json',
    body: { code, status: 404 },
  });
});

test('a fault of the service is a 500 that tells nothing of its inside', async () => {
  await using app = await createTestApp({
    runAxe: () => Promise.reject(new Error('SELECT secret FROM /etc/passwd')),
  });
  const { status, body } = await answersOf(await app.get('/api/v1/scan?url=example.com'));
  expect(status).toBe(500);
  expect(body.code).toBe('scan-failed');
  expect(JSON.stringify(body)).not.toContain('secret');
});
