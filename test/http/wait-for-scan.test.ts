import { afterEach, expect, test } from 'bun:test';
import type { Server } from 'bun';
import { createWaitForScan, idleTimeoutSeconds } from '../../src/http/wait-for-scan.ts';
import { createTestService } from '../scan/test-service.ts';

const url = 'https://example.com/';
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

const refusalOf = ({ answer }: { answer: Promise<unknown> }) =>
  answer.catch((error: unknown) => error);

/** The real service behind it; who asks is the host of the request. */
function createTestWait(options: Parameters<typeof createTestService>[0] = {}) {
  const { service, queue, axe } = createTestService(options);
  const timeouts: number[] = [];
  const server = {
    timeout: (_: Request, seconds: number) => void timeouts.push(seconds),
  } as Server<unknown>;
  const clientKey = (request: Request): string => new URL(request.url).host;
  const waitForScan = createWaitForScan({ service, queue, clientKey });
  const ask = (client: string, waitMs = Infinity, text = url) => {
    const hungUp = new AbortController();
    cleanups.push(() => hungUp.abort());
    const request = new Request(`http://${client}/`, { signal: hungUp.signal });
    const answer = waitForScan(text, waitMs, { request, server });
    answer.catch(() => {});
    return { answer, hangUp: () => hungUp.abort() };
  };
  return { ask, axe, timeouts, queue };
}

test('one client may wait for as many reports as scans may run and wait', async () => {
  const { ask, axe } = createTestWait({ concurrency: 1, maxWaiting: 2 });
  const [first] = [ask('a'), ask('a'), ask('a')];
  expect(await refusalOf(ask('a'))).toMatchObject({
    code: 'too-many-waiting',
    message:
      'Your address has as many requests waiting for reports as it may: 3. Start scans with "async": true and poll them, or try again later.',
    data: { retryAfterSeconds: 5 },
  });
  expect(await ask('a', 0).answer).toMatchObject({ status: 'running' });

  const other = ask('b');
  first?.hangUp();
  await first?.answer;
  const next = ask('a');
  (await axe.run()).succeed();
  expect(await other.answer).toMatchObject({ status: 'done' });
  expect(await next.answer).toMatchObject({ status: 'done' });
  expect(await Promise.all([ask('a', 0).answer, ask('a', 0).answer])).toHaveLength(2);
});

test('a refused request is not one of those that wait', async () => {
  const { ask } = createTestWait({ concurrency: 1, maxWaiting: 0 });
  for (let count = 0; count < 3; count += 1) {
    expect(await refusalOf(ask('a', Infinity, 'ftp://example.com'))).toMatchObject({
      code: 'invalid-url',
    });
  }
  ask('a');
  expect(await refusalOf(ask('a'))).toMatchObject({ code: 'too-many-waiting' });
});

test('the connection may be silent during the wait, and not for ever after it', async () => {
  const { ask, axe, timeouts } = createTestWait();
  const { answer } = ask('a');
  expect(timeouts).toEqual([0]);
  (await axe.run()).succeed();
  await answer;
  expect(timeouts).toEqual([0, idleTimeoutSeconds]);

  await ask('a', Infinity, 'nonsense').answer.catch(() => {});
  expect(timeouts).toEqual([0, idleTimeoutSeconds, 0, idleTimeoutSeconds]);
});

test('a scan waits in the line of the client that asked first', async () => {
  const { ask, axe } = createTestWait({ concurrency: 1, maxWaiting: 20 });
  for (const name of ['a1', 'a2', 'a3', 'shared']) {
    await ask('a', 0, `https://${name}.example/`).answer;
  }
  await ask('b', 0, 'https://shared.example/').answer;
  await ask('b', 0, 'https://b.example/').answer;
  for (let number = 0; number < 5; number += 1) (await axe.run(number)).succeed();
  expect(axe.urls).toEqual(
    ['a1', 'a2', 'b', 'a3', 'shared'].map((name) => `https://${name}.example/`),
  );
});
