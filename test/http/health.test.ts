import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { DomainError } from '../../src/errors.ts';
import { health } from '../../src/http/health.ts';
import { problems } from '../../src/http/problem.ts';
import { createLog } from '../../src/log.ts';
import { createTestApp, heldRunAxe, until } from '../support/test-app.ts';

type Checks = Parameters<typeof health>[0];

async function ask(path: string, checks: Partial<Checks> = {}): Promise<Response> {
  const nothing = { assertOpen: () => {}, browserProblem: () => null, databaseProblem: () => null };
  const app = new Elysia()
    .use(problems({ docsUrl: 'http://localhost/docs', log: createLog('silent') }))
    .use(health({ ...nothing, ...checks }));
  return app.handle(new Request(`http://localhost${path}`));
}

const full = new DomainError('queue-full', 'Full.', { data: { retryAfterSeconds: 7 } });
const throwFull = (): never => {
  throw full;
};

test.each(['/livez', '/readyz'])('%s answers ok', async (path) => {
  const response = await ask(path);
  expect([response.status, await response.text()]).toEqual([200, 'ok']);
});

test.each<[string, Partial<Checks>, string, string, string]>([
  ['the browser', { browserProblem: () => 'No browser.' }, 'not-ready', 'No browser.', '5'],
  ['the database', { databaseProblem: () => 'Disk full.' }, 'not-ready', 'Disk full.', '5'],
  [
    'the browser before the database',
    { browserProblem: () => 'No browser.', databaseProblem: () => 'Disk full.' },
    'not-ready',
    'No browser.',
    '5',
  ],
  ['a full queue', { assertOpen: throwFull }, 'queue-full', 'Full.', '7'],
  [
    'the cause rather than the full queue that it leads to',
    { assertOpen: throwFull, browserProblem: () => 'No browser.' },
    'not-ready',
    'No browser.',
    '5',
  ],
])(
  '/readyz is a 503 that names %s, and /livez is not',
  async (_, checks, code, detail, retryAfter) => {
    const response = await ask('/readyz', checks);
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('retry-after')).toBe(retryAfter);
    expect(await response.json()).toMatchObject({ code, detail, instance: '/readyz' });
    expect((await ask('/livez', checks)).status).toBe(200);
  },
);

test('a service is ready until its queue is full, and again when there is room', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({
    runAxe,
    environment: { SCAN_CONCURRENCY: '1', MAX_WAITING: '1' },
  });
  const status = async () => (await app.get('/readyz')).status;
  expect(await status()).toBe(200);
  await app.post({ url: 'https://running.example', async: true });
  expect(await status()).toBe(200);
  await app.post({ url: 'https://waiting.example', async: true });
  const refused = await app.get('/readyz');
  expect([refused.status, (await refused.json()).code]).toEqual([503, 'queue-full']);
  requests[0]?.release();
  await until(() => requests.length === 2);
  expect(await status()).toBe(200);
  requests[1]?.release();
});

test('a service that stops is not ready', async () => {
  const { runAxe, requests } = heldRunAxe();
  const app = await createTestApp({ runAxe });
  await app.post({ url: 'https://running.example', async: true });
  const closed = app[Symbol.asyncDispose]();
  const refused = await app.get('/readyz');
  expect([refused.status, (await refused.json()).code]).toEqual([503, 'shutting-down']);
  requests[0]?.release();
  await closed;
});

test('health is not counted', async () => {
  await using app = await createTestApp({ environment: { RATE_LIMIT_TOTAL: '1/1h' } });
  for (let count = 0; count < 3; count += 1) {
    const response = await app.get('/readyz');
    expect([response.status, response.headers.has('ratelimit')]).toEqual([200, false]);
  }
});
