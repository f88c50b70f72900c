import { expect, test } from 'bun:test';
import { page, servePages, silence } from '../support/page-server.ts';
import { startBrowserStage } from './browser-stage.ts';
import { pidOf } from './processes.ts';

/** Every browser is taken for flooded. */
const always = { slowMs: 0 };
/** None is, whatever it has to do. */
const never = { slowMs: Infinity };

test('pages that share a flooded browser lose it, and each gets one of its own when it comes again', async () => {
  await using stage = await startBrowserStage({ heartbeat: always });
  const leases = await Promise.all([stage.chromium.lease(), stage.chromium.lease()]);
  const [first, second] = leases;
  expect(pidOf(first)).toBe(pidOf(second));
  expect(stage.chromium.isCalm).toBe(true);
  for (const { died } of leases) {
    expect(String(await died.catch((error: unknown) => error))).toContain('the browser is gone');
  }
  expect(stage.chromium.isCalm).toBe(false);

  const again = [await stage.chromium.lease(), await stage.chromium.lease()] as const;
  expect(pidOf(again[0])).not.toBe(pidOf(again[1]));
  expect(stage.chromium.isCalm).toBe(true);
}, 30_000);

test('a page that floods a browser in which it is alone is kept apart from those that come, and ended', async () => {
  const replaced = Promise.withResolvers<void>();
  await using stage = await startBrowserStage({
    heartbeat: always,
    onLog: (line) => {
      if (line.includes('browser replaced')) replaced.resolve();
    },
  });
  const guilty = await stage.chromium.lease();
  await replaced.promise;
  expect(guilty.isAlive()).toBe(true);
  expect(guilty.isUsable()).toBe(false);
  await using next = await stage.chromium.lease();
  expect(pidOf(next)).not.toBe(pidOf(guilty));
  expect(await guilty.died.catch((error: unknown) => error)).toMatchObject({
    code: 'page-unresponsive',
    message: expect.stringContaining('errors or messages to the console'),
  });
}, 30_000);

test('a browser that has no more to do than it can is left alone', async () => {
  const lines: string[] = [];
  await using stage = await startBrowserStage({
    heartbeat: never,
    onLog: (line) => lines.push(line),
  });
  await using lease = await stage.chromium.lease();
  // Twice as long as it takes to tell.
  await Bun.sleep(2_500);
  expect(lease.isUsable()).toBe(true);
  expect(lines.filter((line) => line.includes('browser replaced'))).toEqual([]);
}, 30_000);

test('a page that throws errors without end is ended, and the next is scanned', async () => {
  await using pages = servePages(() => ({
    '/': page(),
    '/flood': page(`<script>
      setInterval(() => { for (let i = 0; i < 1_000; i += 1) Promise.reject(new Error('x')); }, 1);
    </script><script src="/silence"></script>`),
    // Or a quick machine has scanned it before it is judged.
    '/silence': silence,
  }));
  await using stage = await startBrowserStage({ navigationTimeoutMs: 45_000 });
  const { code } = await stage.fail(`${pages.origin}/flood`);
  // Which bound it meets first depends on what else the machine does.
  expect(code).toBeOneOf(['page-unresponsive', 'page-crashed']);
  expect((await stage.scan(`${pages.origin}/`)).violations).toEqual([]);
}, 60_000);
