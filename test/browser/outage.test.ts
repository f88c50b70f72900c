import { afterEach, beforeEach, expect, mock, test } from 'bun:test';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chromium } from '../../src/browser/chromium.ts';
import { type ChromiumBinary, findChromium } from '../../src/browser/find-chromium.ts';
import { Outage } from '../../src/browser/outage.ts';
import { BrowserDiedError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { productToken, scanTimeoutMs } from './browser-stage.ts';
import { profiles } from './processes.ts';

let folder: string;
let binary: ChromiumBinary;
let events: EventTarget;
let messages: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  await chmod(folder, 0o755);
  const { executablePath, ...found } = await findChromium({ environment: process.env });
  binary = { ...found, executablePath: join(folder, 'chromium') };
  await Bun.write(
    binary.executablePath,
    `#!/bin/sh\n[ -e ${folder}/works ] || exit 1\nexec '${executablePath}' "$@"\n`,
  );
  await chmod(binary.executablePath, 0o755);
  events = new EventTarget();
  messages = [];
});
afterEach(() => rm(folder, { recursive: true }));

const log = createLog('info', (line) => {
  const { message } = JSON.parse(line);
  messages.push(message);
  events.dispatchEvent(new Event(message));
});

function createChromium(retryPauseMs: number) {
  const chromium = new Chromium({ binary, productToken, log, retryPauseMs });
  return Object.assign(chromium, { [Symbol.asyncDispose]: () => chromium.close() });
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

test(
  'after three failed starts scans are refused without another try, and the problem is told',
  async () => {
    await using chromium = createChromium(60_000);
    for (const failures of [1, 2, 3]) {
      expect(chromium.problem()).toBeNull();
      const error = await failureOf(chromium.lease());
      expect(error).toBeInstanceOf(BrowserDiedError);
      expect(String(error)).toContain('could not be started');
      expect(messages).toHaveLength(failures < 3 ? 0 : 1);
    }
    const problem =
      'The browser failed to start 3 times in a row; the log says why, and it is tried again within 60 s.';
    expect(chromium.problem()).toBe(problem);
    const error = await failureOf(chromium.lease());
    expect(error).toBeInstanceOf(BrowserDiedError);
    expect(String(error)).toContain(problem);
    expect(messages).toEqual(['browser does not start']);
    expect(await profiles()).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'a browser that starts again is found without a scan, and the count begins anew',
  async () => {
    await using chromium = createChromium(50);
    for (let failures = 0; failures < 3; failures += 1) await failureOf(chromium.lease());
    await once(events, 'browser does not start');
    expect(chromium.problem()).toContain('failed to start 4 times');

    await Bun.write(join(folder, 'works'), '');
    while (chromium.problem() !== null) await new Promise((go) => setImmediate(go));
    expect(messages.at(-1)).toBe('browser started');
    const lease = await chromium.lease();
    expect(lease.isAlive()).toBe(true);
    expect(chromium.problem()).toBeNull();
    await chromium.close();
    await rm(join(folder, 'works'));
    await failureOf(chromium.lease());
    expect(chromium.problem()).toBeNull();
  },
  scanTimeoutMs,
);

test('once it is stopped, no other try is made', async () => {
  const retry = mock();
  const outages = [1, 2].map(
    () => new Outage({ retry, log: createLog('silent'), firstPauseMs: 1 }),
  );
  for (const outage of outages) {
    for (let failures = 0; failures < 3; failures += 1) outage.noteFailure(new Error('no'));
  }
  outages[0]?.stop();
  // Timers fire in the order of their times.
  await new Promise((go) => setTimeout(go, 2));
  expect(retry).toHaveBeenCalledTimes(1);
});

test('the pauses double, and stay at a minute', () => {
  const pauses: unknown[] = [];
  const outage = new Outage({
    retry: () => {},
    log: createLog('error', (line) => pauses.push(JSON.parse(line).retryInMs)),
  });
  for (let failures = 0; failures < 11; failures += 1) {
    outage.noteFailure(new Error('no'));
    outage.stop();
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});
