import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BrowserDiedError, DomainError, ScanFailedError } from '../../src/errors.ts';
import { createTestService, never, startMs } from './test-service.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const url = 'https://example.com/';

function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('a power cut does not undo', () => {
  const keeping = () => {
    const kept: string[] = [];
    return { kept, substitute: () => ({ keep: (scanId: string) => void kept.push(scanId) }) };
  };

  test('a scan that goes on when its id is told', async () => {
    const { kept, substitute } = keeping();
    const { service, start } = createTestService({ substitute });
    const started = await start(url);
    expect(kept).toEqual([started]);
    const waiting = service.scan('https://example.com/slow', 1_000, never);
    await turn();
    jest.advanceTimersByTime(1_000);
    expect(kept).toEqual([started, (await waiting).id]);
  });

  test('no other scan, for which nobody waits for the disk', async () => {
    const { kept, substitute } = keeping();
    const { service, axe } = createTestService({ substitute });
    const scanned = service.scan(url, 1_000, never);
    (await axe.run()).succeed();
    await scanned;
    expect(kept).toEqual([]);
  });
});

describe('a scan that is done', () => {
  test('has the report of what axe found', async () => {
    const { service, axe, clock, stored } = createTestService();
    const scanned = service.scan('Example.com/a#top', Infinity, never);
    const run = await axe.run();
    expect(run.request.candidates.map(String)).toEqual([
      'https://example.com/a',
      'http://example.com/a',
    ]);
    clock.ms += 2_500;
    run.succeed({
      url: 'http://example.com/a',
      finalUrl: 'http://www.example.com/a',
      rulesNotCompleted: [],
      warnings: ['Parts may be missing.'],
      violations: [
        {
          id: 'image-alt',
          impact: 'critical',
          description: 'd',
          help: 'h',
          helpUrl: 'https://help.example/',
          tags: ['wcag2a'],
          nodeCount: 1,
          nodes: [{ html: '<img>', target: ['img'], any: [], all: [], none: [] }],
        },
      ],
    });
    expect(await scanned).toMatchObject({
      url: 'http://example.com/a',
      status: 'done',
      errorCode: null,
      errorDetail: null,
      report: {
        url: 'http://example.com/a',
        finalUrl: 'http://www.example.com/a',
        score: 75,
        label: null,
        summary: { critical: 1, total: 1 },
        rulesNotCompleted: [],
        warnings: ['Parts may be missing.'],
        scannedAt: '2026-01-01T00:00:02.500Z',
        durationMs: 2_500,
        engine: { name: 'axe-core', version: '4.14.1' },
      },
    });
    expect(stored()).toMatchObject([
      {
        url: 'https://example.com/a',
        isBareDomain: true,
        createdAtMs: startMs,
        finishedAtMs: startMs + 2_500,
      },
    ]);
  });

  test('is logged with its host and no more of its address', async () => {
    const { axe, lines, start, until } = createTestService();
    const scanId = await start('https://example.com/private?token=secret');
    (await axe.run()).succeed();
    await until(scanId, 'done');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      message: 'scan done',
      scanId,
      host: 'example.com',
      score: 100,
    });
    expect(JSON.stringify(lines)).not.toMatch(/private|secret/);
  });

  test('took as long as it ran, its wait not counted', async () => {
    const { axe, clock, start, until } = createTestService({ concurrency: 1 });
    await start(url);
    const waiting = await start('https://other.example/');
    clock.ms += 10_000;
    (await axe.run()).succeed();
    const run = await axe.run(1);
    clock.ms += 300;
    run.succeed();
    const { report } = await until(waiting, 'done');
    expect(report?.durationMs).toBe(300);
  });
});

describe('the record of a scan', () => {
  test('is told when its report is stored, and keeps its place until its page is gone', async () => {
    const { service, axe, start, until } = createTestService({ concurrency: 1 });
    const closed = Promise.withResolvers<void>();
    const scanned = service.scan(url, Infinity, never);
    (await axe.run()).succeed({ closed: closed.promise });
    expect(await scanned).toMatchObject({ status: 'done' });

    const next = await start(url);
    await turn();
    expect(service.find(next).status).toBe('queued');
    closed.resolve();
    (await axe.run(1)).succeed();
    await until(next, 'done');
  });

  test('is queued, then running, then done', async () => {
    const { service, axe, start, until } = createTestService({ concurrency: 1 });
    await start(url);
    const scanId = await start('https://other.example/');
    expect(service.find(scanId)).toMatchObject({ status: 'queued', report: null });
    (await axe.run()).succeed();
    const run = await axe.run(1);
    expect(service.find(scanId)).toMatchObject({ status: 'running', report: null });
    run.succeed();
    expect((await until(scanId, 'done')).report).not.toBeNull();
  });

  test('has an id that cannot be guessed', async () => {
    const { start } = createTestService();
    const ids = [await start(url), await start('https://other.example/')];
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('is not found under another id', () => {
    const { service } = createTestService();
    expect(() => service.find('c8f7b6b0-0000-4000-8000-000000000000')).toThrow(
      expect.objectContaining({ code: 'scan-not-found' }),
    );
  });
});

describe('a scan that failed', () => {
  test('has the code and the sentence of its error', async () => {
    const { service, axe, clock, lines, stored } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    clock.ms += 700;
    (await axe.run()).fail(new ScanFailedError('not-html', 'It is a picture.'));
    const scan = await scanned;
    expect(scan).toMatchObject({
      status: 'failed',
      errorCode: 'not-html',
      errorDetail: 'It is a picture.',
      report: null,
    });
    expect(stored()).toMatchObject([{ finishedAtMs: startMs + 700 }]);
    expect(lines).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        message: 'scan failed',
        scanId: scan.id,
        host: 'example.com',
        code: 'not-html',
      },
    ]);
  });

  test.each([
    ['an error', new TypeError('undefined is not a function at /srv/secret.ts')],
    ['no error at all', 'a text'],
    ['an error that is no outcome of a scan', new DomainError('queue-full', 'Busy.')],
  ])('by %s tells the log why, and the client nothing', async (_, error) => {
    const { service, axe, lines } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    (await axe.run()).fail(error);
    expect(await scanned).toMatchObject({
      status: 'failed',
      errorCode: 'scan-failed',
      errorDetail: 'The scan failed by a fault of this service. Try again.',
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      code: 'scan-failed',
      cause: error instanceof Error ? error.message : error,
    });
  });

  test('by an error with a cause tells the log both', async () => {
    const { service, axe, lines } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    const cause = new Error('net::ERR_FAILED');
    (await axe.run()).fail(new ScanFailedError('navigation-failed', 'No page.', { cause }));
    await scanned;
    expect(lines[0]).toMatchObject({ code: 'navigation-failed', cause: 'net::ERR_FAILED' });
  });

  test('because it took too long is stopped', async () => {
    const { service, axe } = createTestService({ deadlineMs: 60_000 });
    const scanned = service.scan(url, Infinity, never);
    const { request } = await axe.run();
    jest.advanceTimersByTime(59_999);
    expect(request.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-timed-out' });
  });

  test('because it took too long is told at once, and keeps its place until its page is gone', async () => {
    const { service, axe, start, until } = createTestService({
      concurrency: 1,
      deadlineMs: 60_000,
    });
    axe.endsOnAbort = false;
    const scanned = service.scan(url, Infinity, never);
    const slow = await axe.run();
    jest.advanceTimersByTime(60_000);
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-timed-out' });

    const again = await start(url);
    await turn();
    expect(service.find(again).status).toBe('queued');
    slow.fail(new Error('closed'));
    (await axe.run(1)).succeed();
    await until(again, 'done');
    expect(service.find((await scanned).id).status).toBe('failed');
  });

  test('makes room for the next', async () => {
    const { axe, start, until } = createTestService({ concurrency: 1 });
    await start(url);
    const next = await start('https://other.example/');
    (await axe.run()).fail(new Error('failed'));
    (await axe.run(1)).succeed();
    await until(next, 'done');
  });
});

describe('a scan whose browser died', () => {
  const died = new BrowserDiedError('The browser ended during the scan. Try again.', {
    cause: new Error('Target closed'),
  });

  test('is scanned once more', async () => {
    const { service, axe, lines, stored } = createTestService();
    const scanned = service.scan('example.com', Infinity, never);
    (await axe.run()).fail(died);
    const again = await axe.run(1);
    expect(again.request.candidates.map(String)).toEqual([
      'https://example.com/',
      'http://example.com/',
    ]);
    again.succeed();
    expect(await scanned).toMatchObject({ status: 'done' });
    expect(stored()).toMatchObject([{ interruptions: 0 }]);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      message: 'browser died, scanning once more',
      error: 'The browser ended during the scan. Try again. (Target closed)',
    });
  });

  test('twice fails', async () => {
    const { service, axe } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    (await axe.run()).fail(died);
    (await axe.run(1)).fail(died);
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'browser-failed' });
    expect(axe.runs).toHaveLength(2);
  });

  test('fails as the second time does', async () => {
    const { service, axe } = createTestService();
    const scanned = service.scan(url, Infinity, never);
    (await axe.run()).fail(died);
    (await axe.run(1)).fail(new ScanFailedError('not-html', 'It is a picture.'));
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'not-html' });
  });

  test('has one deadline for both times', async () => {
    const { service, axe } = createTestService({ deadlineMs: 60_000 });
    const scanned = service.scan(url, Infinity, never);
    const first = await axe.run();
    jest.advanceTimersByTime(50_000);
    first.fail(died);
    await axe.run(1);
    jest.advanceTimersByTime(10_000);
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-timed-out' });
  });

  test.each([0, 1])('when it was stopped anyway, fails for that reason (death %d)', async (run) => {
    const { service, axe } = createTestService({ deadlineMs: 60_000 });
    axe.endsOnAbort = false;
    const scanned = service.scan(url, Infinity, never);
    if (run === 1) (await axe.run()).fail(died);
    const last = await axe.run(run);
    jest.advanceTimersByTime(60_000);
    last.fail(died);
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-timed-out' });
    expect(axe.runs).toHaveLength(run + 1);
  });
});

describe('a request is refused, and nothing stored,', () => {
  test('when its URL is not valid', async () => {
    const { service, axe, stored } = createTestService();
    expect(await reasonOf(service.scan('ftp://example.com/', 0, never))).toMatchObject({
      code: 'invalid-url',
      message: '“ftp:” is not a scheme that can be scanned. Use http or https.',
    });
    expect([stored(), axe.runs]).toEqual([[], []]);
  });

  test.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['127.0.0.1:3000', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://10.0.0.1/', '10.0.0.1'],
    ['http://192.168.1.1/', '192.168.1.1'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['http://0.0.0.0/', '0.0.0.0'],
    ['http://[::1]/', '::1'],
    ['[::1]:3000', '::1'],
    ['http://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
    ['http://[fd00::1]/', 'fd00::1'],
    ['http://[fe80::1]/', 'fe80::1'],
  ])('when its address is not public: %s', async (text, address) => {
    const { service, axe, stored } = createTestService();
    expect(await reasonOf(service.scan(text, Infinity, never))).toMatchObject({
      code: 'invalid-url',
      message: `${address} is not a public address. This service scans pages that are open to the internet.`,
    });
    expect([stored(), axe.runs]).toEqual([[], []]);
  });

  test('when the queue is full', async () => {
    const { service, axe, start, stored } = createTestService({ concurrency: 1, maxWaiting: 1 });
    await start('https://a.example/');
    await start('https://b.example/');
    expect(await reasonOf(service.scan('https://c.example/', 0, never))).toMatchObject({
      code: 'queue-full',
      data: { retryAfterSeconds: 5 },
    });
    expect(stored().map((scan) => scan.url)).not.toContain('https://c.example/');

    (await axe.run()).succeed();
    await axe.run(1);
    await start('https://c.example/');
  });

  test('when it cannot be stored', async () => {
    const { service, axe, queue } = createTestService({
      substitute: () => ({
        insert: () => {
          throw new Error('disk full');
        },
      }),
    });
    expect(await reasonOf(service.scan(url, 0, never))).toEqual(new Error('disk full'));
    expect([axe.runs.length, queue.running, queue.waiting]).toEqual([0, 0, 0]);
  });
});

describe('an address is scanned', () => {
  test.each([
    'http://8.8.8.8/',
    'http://[2606:4700::1111]/',
    'http://localhost/',
    'localhost:8080',
  ])('when it is public, or a name that the browser will have to resolve: %s', async (text) => {
    const { axe, start } = createTestService();
    await start(text);
    expect(axe.runs).toHaveLength(1);
  });

  test.each(['http://127.0.0.1:3000/', 'http://[::ffff:127.0.0.1]/', '127.255.255.255'])(
    'when it is allowed: %s',
    async (text) => {
      const { axe, start } = createTestService({ allowNetworks: ['127.0.0.0/8'] });
      await start(text);
      expect(axe.runs).toHaveLength(1);
    },
  );
});

describe('when the store fails', () => {
  const fail = (): never => {
    throw new Error('disk full');
  };

  test('with the report, the scan fails and its waiter comes back', async () => {
    const { service, axe, lines } = createTestService({
      substitute: () => ({ complete: async () => fail() }),
    });
    const scanned = service.scan(url, Infinity, never);
    (await axe.run()).succeed();
    expect(await scanned).toMatchObject({ status: 'failed', errorCode: 'scan-failed' });
    expect(lines).toEqual([
      expect.objectContaining({ message: 'scan failed', cause: 'disk full' }),
    ]);
  });

  test('altogether, the waiter is told, the fault is logged and the place is free', async () => {
    const { service, axe, lines, queue, stored } = createTestService({
      substitute: () => ({ complete: async () => fail(), markFailed: fail }),
    });
    const scanned = reasonOf(service.scan(url, Infinity, never));
    (await axe.run()).succeed();
    expect(await scanned).toEqual(new Error('disk full'));
    const [scan] = stored();
    expect(scan).toMatchObject({ status: 'running' });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'error',
        message: 'scan could not be stored',
        scanId: scan?.id,
        error: 'disk full',
      }),
    ]);
    await turn();
    expect([queue.running, queue.waiting]).toEqual([0, 0]);

    const again = service.scan(url, 0, never);
    expect((await again).id).not.toBe(scan?.id);
  });

  test('at the start of a scan, nothing is scanned and the scan fails', async () => {
    const { service, axe } = createTestService({
      substitute: () => ({ markRunning: fail }),
    });
    expect(await service.scan(url, Infinity, never)).toMatchObject({
      status: 'failed',
      errorCode: 'scan-failed',
    });
    expect(axe.runs).toEqual([]);
  });
});
