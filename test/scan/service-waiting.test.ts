import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ScanFailedError } from '../../src/errors.ts';
import type { Scan, ScanService } from '../../src/scan/service.ts';
import { createTestService, never } from './test-service.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const url = 'https://example.com/';

/** Someone who waits for a scan and may hang up. */
class Client {
  scan: Scan | null = null;
  readonly answered: Promise<Scan>;
  readonly #connection = new AbortController();

  constructor(service: ScanService, waitMs: number, text = url) {
    this.answered = service.scan(text, waitMs, this.#connection.signal);
    this.answered.then(
      (scan) => (this.scan = scan),
      () => {},
    );
  }

  async hangUp(): Promise<Scan> {
    this.#connection.abort();
    return this.answered;
  }
}

describe('scans under way of the same URL', () => {
  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com/', 'HTTPS://Example.com:443#top'],
    ['https://example.com/?a=1', 'https://example.com?a=1#b'],
    ['example.com', 'EXAMPLE.COM/'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('are one: %s and %s', async (one, other) => {
    const { service, axe, start, stored } = createTestService();
    const scanId = await start(one);
    expect(await start(other)).toBe(scanId);
    const waited = service.scan(other, Infinity, never);
    (await axe.run()).succeed();
    expect(await waited).toMatchObject({ id: scanId, status: 'done' });
    expect(axe.runs).toHaveLength(1);
    expect(stored()).toHaveLength(1);
  });

  test.each([
    ['https://example.com/', 'http://example.com/'],
    ['https://example.com/', 'https://example.com/?'],
    ['https://example.com/a', 'https://example.com/A'],
    ['https://example.com/', 'https://www.example.com/'],
    ['https://example.com/', 'https://example.com:8443/'],
    ['https://example.com/', 'example.com'],
    ['http://example.com/', 'example.com'],
  ])('are two: %s and %s', async (one, other) => {
    const { axe, start } = createTestService();
    expect(await start(one)).not.toBe(await start(other));
    expect(axe.runs).toHaveLength(2);
  });

  test('are one while they wait for a place, and one more takes none', async () => {
    const { axe, start } = createTestService({ concurrency: 1, maxWaiting: 1 });
    await start('https://other.example/');
    const scanId = await start(url);
    expect(await start(url)).toBe(scanId);
    (await axe.run()).succeed();
    (await axe.run(1)).succeed();
    expect(axe.urls).toEqual(['https://other.example/', url]);
  });

  test.each(['done', 'failed'] as const)('are two when the first is %s', async (status) => {
    const { axe, start, until } = createTestService();
    const first = await start(url);
    if (status === 'done') (await axe.run()).succeed();
    else (await axe.run()).fail(new ScanFailedError('not-html', 'It is a picture.'));
    await until(first, status);
    await turn();
    expect(await start(url)).not.toBe(first);
    expect(axe.runs).toHaveLength(2);
  });

  test('tell all who wait the same', async () => {
    const { service, axe } = createTestService();
    const clients = [1, 2, 3].map(() => new Client(service, Infinity));
    (await axe.run()).fail(new ScanFailedError('not-html', 'It is a picture.'));
    const scans = await Promise.all(clients.map(({ answered }) => answered));
    expect(scans[0]).toMatchObject({ status: 'failed', errorCode: 'not-html' });
    expect(scans).toEqual(Array(3).fill(scans[0]));
  });
});

describe('a client that waits', () => {
  test.each([0, -1])('%d ms has the scan at once, which goes on', async (waitMs) => {
    const { service, axe, until } = createTestService();
    const scan = await service.scan(url, waitMs, never);
    expect(scan).toMatchObject({ status: 'running', report: null });
    (await axe.run()).succeed();
    await until(scan.id, 'done');
  });

  test('long enough has the report', async () => {
    const { service, axe } = createTestService();
    const client = new Client(service, 25_000);
    const run = await axe.run();
    jest.advanceTimersByTime(24_999);
    run.succeed();
    expect(await client.answered).toMatchObject({ status: 'done' });
  });

  test('too short a time has the unfinished scan, which goes on', async () => {
    const { service, axe, until } = createTestService();
    const client = new Client(service, 25_000);
    const run = await axe.run();
    jest.advanceTimersByTime(24_999);
    await turn();
    expect(client.scan).toBeNull();
    jest.advanceTimersByTime(1);
    const { id, status, report } = await client.answered;
    expect([status, report]).toEqual(['running', null]);
    expect(run.request.signal.aborted).toBe(false);
    run.succeed();
    await until(id, 'done');
  });

  test('for as long as it takes has the report', async () => {
    const { service, axe } = createTestService({ deadlineMs: 500_000 });
    const client = new Client(service, Infinity);
    const run = await axe.run();
    jest.advanceTimersByTime(499_999);
    await turn();
    expect(client.scan).toBeNull();
    run.succeed();
    expect(await client.answered).toMatchObject({ status: 'done' });
  });

  test('leaves no timer behind', async () => {
    const { service, axe } = createTestService();
    const client = new Client(service, 25_000);
    (await axe.run()).succeed();
    await client.answered;
    await turn();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a client that hangs up', () => {
  test('and was the only one cancels its scan, and frees its place', async () => {
    const { service, axe, queue, lines } = createTestService({ concurrency: 1 });
    const client = new Client(service, Infinity);
    const { request } = await axe.run();
    const next = new Client(service, Infinity, 'https://other.example/');
    expect(await client.hangUp()).toMatchObject({
      status: 'failed',
      errorCode: 'scan-cancelled',
      errorDetail: 'Nobody waited for this scan any more.',
      report: null,
    });
    expect(request.signal.reason).toMatchObject({ code: 'scan-cancelled' });
    expect(lines).toEqual([
      expect.objectContaining({ message: 'scan failed', code: 'scan-cancelled' }),
    ]);

    (await axe.run(1)).succeed();
    expect(await next.answered).toMatchObject({ status: 'done' });
    await turn();
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  test('while its scan waits takes it out of the queue', async () => {
    const { service, axe, queue, start } = createTestService({ concurrency: 1 });
    await start('https://other.example/');
    const client = new Client(service, Infinity);
    await turn();
    expect(await client.hangUp()).toMatchObject({ status: 'failed', errorCode: 'scan-cancelled' });
    await turn();
    expect(queue.waiting).toBe(0);
    (await axe.run()).succeed();
    await turn();
    expect(axe.urls).toEqual(['https://other.example/']);
  });

  test('before its scan has begun cancels it as well', async () => {
    const { service, queue } = createTestService();
    const scan = await service.scan(url, Infinity, AbortSignal.abort());
    expect(scan).toMatchObject({ status: 'failed', errorCode: 'scan-cancelled' });
    await turn();
    expect(queue.running).toBe(0);
  });

  test('within its time to wait cancels its scan: nobody knows the id', async () => {
    const { service, axe } = createTestService();
    const client = new Client(service, 25_000);
    await axe.run();
    expect(await client.hangUp()).toMatchObject({ errorCode: 'scan-cancelled' });
    await turn();
    expect(jest.getTimerCount()).toBe(0);
  });

  test('leaves the scan to another who waits, and the last one cancels it', async () => {
    const { service, axe } = createTestService();
    const [first, second] = [new Client(service, Infinity), new Client(service, Infinity)];
    const { request } = await axe.run();
    expect(await first.hangUp()).toMatchObject({ status: 'running' });
    expect(request.signal.aborted).toBe(false);
    expect(second.scan).toBeNull();
    expect(await second.hangUp()).toMatchObject({ errorCode: 'scan-cancelled' });
    expect(request.signal.aborted).toBe(true);
  });

  test('together with another cancels the scan once', async () => {
    const { service, axe, lines } = createTestService();
    const clients = [new Client(service, Infinity), new Client(service, 25_000)];
    await axe.run();
    const scans = await Promise.all(clients.map((client) => client.hangUp()));
    expect(scans[1]).toMatchObject({ errorCode: 'scan-cancelled' });
    expect(lines).toHaveLength(1);
  });

  test('does not cancel a scan whose id somebody was told at once', async () => {
    const { service, axe, start, until } = createTestService();
    const client = new Client(service, Infinity);
    const scanId = await start(url);
    const run = await axe.run();
    expect(await client.hangUp()).toMatchObject({ id: scanId, status: 'running' });
    run.succeed();
    await until(scanId, 'done');
  });

  test('does not cancel a scan whose id somebody was told after a wait', async () => {
    const { service, axe, until } = createTestService();
    const [patient, hasty] = [new Client(service, Infinity), new Client(service, 1_000)];
    const run = await axe.run();
    jest.advanceTimersByTime(1_000);
    const { id } = await hasty.answered;
    expect(await patient.hangUp()).toMatchObject({ status: 'running' });
    run.succeed();
    await until(id, 'done');
  });

  test('after the scan has ended changes nothing', async () => {
    const { service, axe } = createTestService();
    const client = new Client(service, Infinity);
    (await axe.run()).succeed();
    await client.answered;
    await client.hangUp();
    expect(service.find((await client.answered).id)).toMatchObject({ status: 'done' });
  });

  test('while the report is being stored leaves a failed scan without one', async () => {
    const gate = Promise.withResolvers<void>();
    const { service, axe, lines } = createTestService({
      substitute: (store) => ({
        complete: async (scanId, result) => {
          await gate.promise;
          return store.complete(scanId, result);
        },
      }),
    });
    const client = new Client(service, Infinity);
    (await axe.run()).succeed();
    await turn();
    const { id } = await client.hangUp();
    gate.resolve();
    await turn();
    const other = new Client(service, Infinity, 'https://other.example/');
    (await axe.run(1)).succeed();
    await other.answered;
    expect(service.find(id)).toMatchObject({
      status: 'failed',
      errorCode: 'scan-cancelled',
      report: null,
    });
    expect(lines.map(({ message }) => message)).toEqual(['scan failed', 'scan done']);
  });
});

test('a cancelled scan that is slow to end is not joined, and its end does not end the next', async () => {
  const { service, axe, start, until } = createTestService();
  axe.endsOnAbort = false;
  const client = new Client(service, Infinity);
  const cancelled = await axe.run();
  const { id } = await client.hangUp();

  const next = await start(url);
  expect(next).not.toBe(id);
  cancelled.fail(new Error('closed'));
  await turn();
  expect(service.find(id)).toMatchObject({ status: 'failed', errorCode: 'scan-cancelled' });
  expect(await start(url)).toBe(next);
  (await axe.run(1)).succeed();
  await until(next, 'done');
});
