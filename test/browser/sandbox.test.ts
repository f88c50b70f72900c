import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chromium } from '../../src/browser/chromium.ts';
import { type ChromiumBinary, findChromium } from '../../src/browser/find-chromium.ts';
import { createLog } from '../../src/log.ts';
import { productToken, scanTimeoutMs } from './browser-stage.ts';
import { pidOf, profiles, renderersOf, statusOf, untilGone } from './processes.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let binary: ChromiumBinary;
let logged: Record<string, unknown>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  binary = await findChromium({ environment: process.env });
  logged = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** The browser as a script of its own in the folder, which all may enter. */
async function behind(script: string): Promise<ChromiumBinary> {
  const executablePath = join(folder, 'chromium');
  await Bun.write(executablePath, `#!/bin/sh\n${script}\nexec '${binary.executablePath}' "$@"\n`);
  await chmod(executablePath, 0o755);
  await chmod(folder, 0o755);
  return { ...binary, executablePath };
}

function createChromium(with_: ChromiumBinary) {
  const log = createLog('info', (line) => logged.push(JSON.parse(line)));
  const chromium = new Chromium({ binary: with_, productToken, log });
  return Object.assign(chromium, { [Symbol.asyncDispose]: () => chromium.close() });
}

test(
  'pages run sandboxed where the log says so, and not as root even if the service does',
  async () => {
    await using chromium = createChromium(binary);
    const lease = await chromium.lease();
    await lease.context.newPage();
    const { sandbox } = logged[0] ?? {};
    const service = await statusOf(process.pid);
    const browser = await statusOf(pidOf(lease));
    expect(browser.uid === service.uid).toBe(!isRoot);
    const renderers = await Promise.all((await renderersOf(pidOf(lease))).map(statusOf));
    expect(renderers).not.toBeEmpty();
    for (const renderer of renderers) {
      expect(renderer.uid).toBe(browser.uid);
      // The filter that only the sandbox installs, and an id in a namespace of its own.
      expect(renderer.seccompMode === 2).toBe(sandbox === true);
      expect(renderer.namespaceDepth > service.namespaceDepth).toBe(sandbox === true);
    }
  },
  scanTimeoutMs,
);

test(
  'nothing stands between the service and the browser, and nothing of it is left after close',
  async () => {
    const chromium = createChromium(binary);
    const pid = pidOf(await chromium.lease());
    const command = await Bun.file(`/proc/${pid}/cmdline`).text();
    expect(command).toStartWith(`${binary.executablePath}\0`);
    await chromium.close();
    await untilGone(pid);
    expect(await profiles()).toEqual([]);
  },
  scanTimeoutMs,
);

test(
  'where there are no namespaces the browser runs without its sandbox, and the log says how to turn it on',
  async () => {
    await using chromium = createChromium(
      await behind(
        'case "$*" in *--no-sandbox*) ;; *) echo "No usable sandbox!" >&2; exit 1 ;; esac',
      ),
    );
    const lease = await chromium.lease();
    await lease.context.newPage();
    expect(logged).toMatchObject([{ level: 'warn', message: 'browser started', sandbox: false }]);
    expect(logged[0]?.['advice']).toContain('seccomp.json');
    expect((await statusOf(pidOf(lease))).uid === 0).toBe(false);
  },
  scanTimeoutMs,
);

test(
  'a browser that only root may read is started as root, and the log says that this costs the sandbox',
  async () => {
    const closed = await behind('');
    await chmod(folder, 0o700);
    await using chromium = createChromium(closed);
    const lease = await chromium.lease();
    await lease.context.newPage();
    expect((await statusOf(pidOf(lease))).uid).toBe(process.getuid?.() ?? 0);
    if (isRoot) expect(logged[0]?.['advice']).toContain('Start the service as an ordinary user.');
  },
  scanTimeoutMs,
);

test(
  'where there is no setpriv the browser starts all the same',
  async () => {
    await using chromium = createChromium({ ...binary, env: { ...binary.env, PATH: folder } });
    const lease = await chromium.lease();
    await lease.context.newPage();
    expect((await statusOf(pidOf(lease))).uid).toBe(process.getuid?.() ?? 0);
    if (isRoot) expect(logged).toMatchObject([{ level: 'warn', sandbox: false }]);
  },
  scanTimeoutMs,
);
