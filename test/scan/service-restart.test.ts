import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BrowserDiedError, ScanFailedError } from '../../src/errors.ts';
import { createTestService, never } from './test-service.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const url = 'https://example.com/';

type TestService = ReturnType<typeof createTestService>;

/** The next process after a `kill -9`: nothing of the last one but its database is left. */
function restart({ database }: TestService, options: Parameters<typeof createTestService>[0] = {}) {
  const next = createTestService({ ...options, database });
  next.service.recover();
  return next;
}

describe('after the process died', () => {
  test('waiting and running scans are scanned again, the oldest first', async () => {
    const before = createTestService({ concurrency: 1 });
    const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
    const ids: string[] = [];
    for (const text of urls) {
      ids.push(await before.start(text));
      before.clock.ms += 1;
    }

    const after = restart(before, { concurrency: 1 });
    expect(after.stored().map(({ interruptions }) => interruptions)).toEqual([1, 0, 0]);
    for (let number = 0; number < 3; number++) (await after.axe.run(number)).succeed();
    for (const id of ids) await after.until(id, 'done');
    expect(after.axe.urls).toEqual(urls);
  });

  test('a bare domain is tried by https and by http again', async () => {
    const before = createTestService();
    await before.start('example.com:8080/a');
    const after = restart(before);
    expect((await after.axe.run()).request.candidates.map(String)).toEqual([
      'https://example.com:8080/a',
      'http://example.com:8080/a',
    ]);
  });

  test('scans that ended are left as they were', async () => {
    const before = createTestService();
    const done = await before.start(url);
    const failed = await before.start('https://other.example/');
    (await before.axe.run()).succeed();
    (await before.axe.run(1)).fail(new ScanFailedError('not-html', 'It is a picture.'));
    await before.until(done, 'done');
    await before.until(failed, 'failed');
    const scans = [done, failed].map((id) => before.service.find(id));

    const after = restart(before);
    await turn();
    expect(after.axe.runs).toEqual([]);
    expect([done, failed].map((id) => after.service.find(id))).toEqual(scans);
  });

  test('more scans are taken up than may wait', async () => {
    const before = createTestService({ concurrency: 1, maxWaiting: 20 });
    for (let number = 0; number < 10; number++) await before.start(`https://${number}.example/`);

    const after = restart(before, { concurrency: 2, maxWaiting: 1 });
    expect([after.queue.running, after.queue.waiting]).toEqual([2, 8]);
    const refused = await after.service.scan(url, 0, never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'queue-full' });
    for (let number = 0; number < 10; number++) (await after.axe.run(number)).succeed();
    for (const { id } of after.stored()) await after.until(id, 'done');
  });

  test('a scan that is taken up is joined, and goes on when nobody waits', async () => {
    const before = createTestService();
    const scanId = await before.start(url);
    const after = restart(before);
    const client = new AbortController();
    const scanned = after.service.scan(url, Infinity, client.signal);
    client.abort();
    expect(await scanned).toMatchObject({ id: scanId, status: 'running' });
    (await after.axe.run()).succeed();
    await after.until(scanId, 'done');
    expect(after.axe.runs).toHaveLength(1);
  });

  test('a scan that was running twice is taken for the reason and not run again', async () => {
    const first = createTestService();
    const scanId = await first.start(url);
    const second = restart(first);
    expect(second.service.find(scanId)).toMatchObject({ status: 'running', interruptions: 1 });
    const third = restart(second);
    expect(third.axe.runs).toEqual([]);
    expect(third.service.find(scanId)).toMatchObject({
      status: 'failed',
      interruptions: 2,
      errorCode: 'scan-interrupted',
      errorDetail:
        'This service stopped twice while it scanned the page, so it was not tried again.',
    });
    await turn();
    expect(third.lines).toEqual([
      expect.objectContaining({ message: 'scan failed', scanId, code: 'scan-interrupted' }),
    ]);
    expect(await third.start(url)).not.toBe(scanId);
  });

  test('a scan that only waited may wait through any number of deaths', async () => {
    let service = createTestService({ concurrency: 1 });
    const ids: string[] = [];
    for (const text of ['https://a.example/', 'https://b.example/']) {
      ids.push(await service.start(text));
      service.clock.ms += 1;
    }
    for (let death = 0; death < 2; death++) service = restart(service, { concurrency: 1 });
    expect(ids.map((id) => service.service.find(id).status)).toEqual(['failed', 'running']);
    (await service.axe.run()).succeed();
    await service.until(ids[1] ?? '', 'done');
    expect(service.stored().map(({ interruptions }) => interruptions)).toEqual([2, 0]);
  });

  test('nothing is taken up where nothing was left', () => {
    const { axe, queue } = restart(createTestService());
    expect([axe.runs.length, queue.running, queue.waiting]).toEqual([0, 0, 0]);
  });
});

describe('when the service closes', () => {
  test('a running scan that ends in time is done', async () => {
    const { service, axe } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    const run = await axe.run();
    const closed = service.close(6_000);
    jest.advanceTimersByTime(5_999);
    expect(run.request.signal.aborted).toBe(false);
    run.succeed();
    expect(await scanned).toMatchObject({ status: 'done' });
    await closed;
  });

  test('a running scan that does not is handed back, and its waiter comes back', async () => {
    const before = createTestService();
    const scanned = before.service.scan(url, Infinity, never);
    await before.axe.run();
    const closed = before.service.close(6_000);
    jest.advanceTimersByTime(6_000);
    await closed;
    const scan = await scanned;
    expect(scan).toMatchObject({ status: 'queued', interruptions: 0, report: null });
    expect(before.lines).toEqual([
      expect.objectContaining({ message: 'scan handed back', scanId: scan.id }),
    ]);

    const after = restart(before);
    (await after.axe.run()).succeed();
    await after.until(scan.id, 'done');
    expect(after.stored()).toMatchObject([{ id: scan.id, interruptions: 0 }]);
  });

  test('a scan whose browser dies when it is stopped is handed back as well', async () => {
    const { service, axe } = createTestService();
    axe.endsOnAbort = false;
    const scanned = service.scan(url, Infinity, never);
    const run = await axe.run();
    const closed = service.close(6_000);
    jest.advanceTimersByTime(6_000);
    run.fail(new BrowserDiedError('The browser did not answer. Try again.'));
    await closed;
    expect(await scanned).toMatchObject({ status: 'queued', errorCode: null });
    expect(axe.runs).toHaveLength(1);
  });

  test('waiting scans stay in the queue, and their waiters come back at once', async () => {
    const before = createTestService({ concurrency: 1 });
    await before.start('https://other.example/');
    const scanned = before.service.scan(url, Infinity, never);
    await turn();
    const closed = before.service.close(6_000);
    const scan = await scanned;
    expect(scan).toMatchObject({ status: 'queued', url });
    (await before.axe.run()).succeed();
    await closed;
    expect(before.axe.urls).toEqual(['https://other.example/']);
    expect(before.service.find(scan.id)).toEqual(scan);

    const after = restart(before);
    (await after.axe.run()).succeed();
    await after.until(scan.id, 'done');
    expect(after.axe.urls).toEqual([url]);
  });

  test('new requests are refused, those for a scan under way too, and nothing is stored', async () => {
    const { service, axe, start, stored } = createTestService();
    const scanId = await start(url);
    const closed = service.close(6_000);
    for (const text of [url, 'https://other.example/']) {
      const refused = await service.scan(text, Infinity, never).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'shutting-down', data: { retryAfterSeconds: 5 } });
    }
    expect(stored().map(({ id }) => id)).toEqual([scanId]);
    expect(service.find(scanId)).toMatchObject({ status: 'running' });
    (await axe.run()).succeed();
    await closed;
  });

  test('a client that hangs up still cancels its scan', async () => {
    const { service, axe } = createTestService();
    const client = new AbortController();
    const scanned = service.scan(url, Infinity, client.signal);
    await axe.run();
    const closed = service.close(6_000);
    client.abort();
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-cancelled' });
    await closed;
  });

  test('a scan that fails fails', async () => {
    const { service, axe } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    const closed = service.close(6_000);
    (await axe.run()).fail(new ScanFailedError('not-html', 'It is a picture.'));
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'not-html' });
    await closed;
  });

  test('with nothing to do it is closed at once', async () => {
    const { service } = createTestService();
    await service.close(6_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
