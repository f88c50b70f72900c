import { expect, test } from 'bun:test';
import { ThreadLoad } from '../../src/browser/thread-load.ts';

/** Long enough for a thread to be seen at work. */
const spanMs = 300;

async function loadOf(script: string): Promise<number> {
  const child = Bun.spawn(['sh', '-c', script]);
  try {
    const load = new ThreadLoad(child.pid);
    await Bun.sleep(spanMs);
    return load.measure();
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

test('a process that never sleeps is as busy as can be', async () => {
  const load = await loadOf('while :; do :; done');
  expect(load).toBeGreaterThan(0.9);
  expect(load).toBeLessThan(1.1);
});

test('a process that sleeps is not busy', async () => {
  expect(await loadOf('exec sleep 60')).toBeLessThan(0.2);
});

test('a process that is gone is not busy', async () => {
  const child = Bun.spawn(['true']);
  const load = new ThreadLoad(child.pid);
  await child.exited;
  expect(load.measure()).toBe(0);
});
