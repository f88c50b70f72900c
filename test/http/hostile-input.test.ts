import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { createTestApp } from '../support/test-app.ts';

/** Problem details of a fault of the sender, without a word of what is inside. */
async function expectRefused(response: Response, status: number, code: string): Promise<void> {
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/problem+json',
  ]);
  expect(JSON.parse(text)).toMatchObject({ status, code, detail: expect.any(String) });
  expect(text).not.toMatch(/node_modules|\bat \S+ \(|\.ts:\d/);
}

const bytesOf = (text: string, encoding: BufferEncoding) =>
  new Uint8Array(Buffer.from(text, encoding));

test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
  ['a url that cannot be a text', '{"url":{"toString":"x"}}', 'invalid-url'],
  ['one that can', '{"url":{"toString":1,"valueOf":2}}', 'invalid-url'],
  ['a url in an array', '{"url":["http://127.0.0.1"]}', 'invalid-url'],
  ['async that cannot be a text', '{"url":"a.example","async":{"toString":1}}', 'invalid-body'],
  ['async that is null', '{"url":"a.example","async":null}', 'invalid-body'],
  [
    'two urls, the last a private one',
    '{"url":"a.example","url":"http://10.0.0.1"}',
    'invalid-url',
  ],
  ['a url of its prototype', '{"__proto__":{"url":"a.example"}}', 'invalid-url'],
  ['a url of its constructor', '{"constructor":{"prototype":{"url":"a"}}}', 'invalid-url'],
  ['deep nesting that ends', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, 'invalid-url'],
  ['deep nesting that does not', '{"url":'.repeat(9_000), 'invalid-body'],
  ['a number beyond all', '{"url":1e999}', 'invalid-url'],
  ['10 MB', 'a'.repeat(10_000_000), 'invalid-body'],
  ['a url of 10 MB', `{"url":"https://a.example/${'a'.repeat(10_000_000)}"}`, 'invalid-body'],
  ['UTF-16', bytesOf('\uFEFF{"url":"a.example"}', 'utf16le'), 'invalid-body'],
  ['Latin-1', bytesOf('{"url":"http://b\u00fccher.example"}', 'latin1'), 'invalid-url'],
  ['gzip', Bun.gzipSync('{"url":"a.example"}'), 'invalid-body'],
  ['NUL in a host', JSON.stringify({ url: 'http://a\0b.example/' }), 'invalid-url'],
  ['a bidi override in a host', JSON.stringify({ url: 'http://\u202ea.example/' }), 'invalid-url'],
  ['half a character', String.raw`{"url":"http://\ud800.example/"}`, 'invalid-url'],
  ['a line break in a host', JSON.stringify({ url: 'http://a\r\n.b:c@d/' }), 'invalid-url'],
  ['a form', '--x\r\nContent-Disposition: form-data; name="url"\r\n\r\na\r\n--x--', 'invalid-body'],
])('a body with %s is refused', async (_, body, code) => {
  await using app = await createTestApp();
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  await expectRefused(await app.request('/api/v1/scan', init), 400, code);
});

test.each([
  '?url=%',
  '?url=%zz',
  '?url=%ff%fe',
  '?url=%C3%28.example',
  '?url=%00',
  '?url=http%3A%2F%2Fa%00b.example',
  '?url=a%0d%0aSet-Cookie:x=1',
  '?url=%E2%80%AEa.example',
  '?url=a.example&url=b',
  '?url[]=a.example',
  '?__proto__=a.example',
  '?__proto__[url]=a.example',
  '?constructor=a.example',
  '?%',
  '?&&=&',
  `?${'a&'.repeat(5_000)}`,
  `?url=${'a'.repeat(10_000)}`,
  `?url=https://a.example/${'%25'.repeat(2_500)}`,
])('the query %s is refused', async (query) => {
  await using app = await createTestApp();
  await expectRefused(await app.get(`/api/v1/scan${query}`), 400, 'invalid-url');
  await expectRefused(await app.get(`/api/public-scan${query}`), 400, 'invalid-url');
});

test.each([
  ['/%', 'not-found'],
  ['/api/v1/%zz', 'not-found'],
  ['/docs/assets/%', 'not-found'],
  ['/docs/assets/%00', 'not-found'],
  ['/docs/assets/__proto__', 'not-found'],
  ['/docs/assets/constructor', 'not-found'],
  ['/docs/assets/..%2f..%2fpackage.json', 'not-found'],
  ['/api/v1/scan/%', 'scan-not-found'],
  ['/api/v1/scan/%c0%ae', 'scan-not-found'],
  ['/api/v1/scan/%E2%80%AE', 'scan-not-found'],
  ['/api/v1/scan/%0d%0aSet-Cookie:%20a=b', 'scan-not-found'],
  ["/api/v1/scan/'%20or%201=1--", 'scan-not-found'],
  ['/api/v1/scan/__proto__', 'scan-not-found'],
  [`/api/v1/scan/${'a'.repeat(8_000)}`, 'scan-not-found'],
])('at the path %s there is nothing', async (path, code) => {
  await using app = await createTestApp();
  await expectRefused(await app.get(path), 404, code);
});

test.each([
  { prefer: 'wait=99999999999999999999' },
  { prefer: 'wait=-1, wait=NaN, respond-async=%' },
  { cookie: 'a=%; __proto__=1' },
  { cookie: '='.repeat(5_000) },
  { origin: 'null' },
  { 'accept-encoding': ','.repeat(5_000) },
  { 'if-none-match': '"'.repeat(4_000) },
  { 'content-type': '\u00ff' },
  { 'content-type': 'application/json; charset=nonsense' },
  { 'content-encoding': 'br' },
  { range: 'bytes=5-1' },
  { 'x-http-method-override': 'DELETE' },
])('the fields %o change nothing', async (headers) => {
  await using app = await createTestApp();
  expect((await app.post({ url: 'https://example.com' }, headers)).status).toBeLessThan(203);
  expect((await app.get('/api/v1/scan?url=example.com', headers)).status).toBe(200);
  expect((await app.get('/docs/assets/page.css', headers)).status).toBe(200);
});

test('what cannot be seen in a URL is made visible in the answer, and leaves no field of its own', async () => {
  await using app = await createTestApp();
  const response = await app.post({ url: 'http://a\u202eb\0c\r\nSet-Cookie: d\ud800' });
  expect(response.headers.has('set-cookie')).toBe(false);
  expect((await response.json()).detail).toStartWith(
    '“http://a\\u{202e}b\\u{0}c\\u{d}\\u{a}Set-Cookie: d\\u{d800}” is not a valid URL.',
  );
});

test('whatever a client sends, it is never a fault of the service', async () => {
  await using app = await createTestApp({
    environment: { RATE_LIMIT_GET: 'off', RATE_LIMIT_POST: 'off', RATE_LIMIT_TOTAL: 'off' },
  });
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const body = fc.oneof(
    text,
    fc.json(),
    fc.jsonValue().map((url) => JSON.stringify({ url })),
  );
  const query = fc.oneof(
    text.map((it) => `?url=${encodeURIComponent(it.toWellFormed())}`),
    fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map((it) => `?url=${it}`),
  );
  await fc.assert(
    fc.asyncProperty(body, query, async (posted, asked) => {
      for (const response of [await app.post(posted), await app.get(`/api/v1/scan${asked}`)]) {
        expect([200, 400]).toContain(response.status);
        const type = response.status === 200 ? 'application/json' : 'application/problem+json';
        expect(response.headers.get('content-type')).toStartWith(type);
      }
    }),
    { numRuns: 300 },
  );
}, 30_000);
