import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Browser, computeExecutablePath } from '@puppeteer/browsers';
import { packaged } from '../../src/browser/chromium-candidates.ts';
import { findChromium, NoBrowserError } from '../../src/browser/find-chromium.ts';

let root: string;
/** An environment in which nothing is found, and the packaged browser can't be unpacked. */
let environment: Record<string, string>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  environment = {
    PATH: join(root, 'bin'),
    PUPPETEER_CACHE_DIR: join(root, 'puppeteer'),
    XDG_CACHE_HOME: '/dev/null',
    TMPDIR: '/dev/null',
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function script(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

const fakeChromium = (path: string, version = '1.2.3.4') =>
  script(path, `echo "Chromium ${version} "`);

function fakeDownload(browser: Browser, buildId: string, body?: string): Promise<string> {
  const path = computeExecutablePath({
    browser,
    buildId,
    cacheDir: join(root, 'puppeteer'),
  });
  return body === undefined ? fakeChromium(path, buildId) : script(path, body);
}

async function messageOfFailure(executablePath?: string): Promise<string> {
  const outcome: unknown = await findChromium({ executablePath, environment }).catch(
    (error: unknown) => error,
  );
  if (outcome instanceof NoBrowserError) return outcome.message;
  throw new Error('a browser was found, or the search failed otherwise', { cause: outcome });
}

describe('PUPPETEER_EXECUTABLE_PATH', () => {
  test('comes before everything else', async () => {
    await fakeDownload(Browser.CHROMEHEADLESSSHELL, '9.9.9.9');
    const executablePath = await fakeChromium(join(root, 'my-browser'));

    expect(await findChromium({ executablePath, environment })).toEqual({
      executablePath,
      version: '1.2.3.4',
      source: 'PUPPETEER_EXECUTABLE_PATH',
      kind: 'chrome',
      env: { PATH: join(root, 'bin') },
    });
  });

  test('that does not start is an error that names it, whatever else there is', async () => {
    await fakeChromium(join(root, 'bin', 'chromium'));
    const executablePath = join(root, 'absent');

    const message = await messageOfFailure(executablePath);

    expect(message).toMatch(/^PUPPETEER_EXECUTABLE_PATH names no browser/);
    expect(message).toContain(`${executablePath}: ENOENT`);
  });

  test('that lacks a shared library is refused in the words of the loader', async () => {
    const executablePath = join(root, 'chromium');
    await script(
      executablePath,
      'echo "$0: error while loading shared libraries: libnss3.so: cannot open" >&2; exit 127',
    );

    expect(await messageOfFailure(executablePath)).toContain(
      `- PUPPETEER_EXECUTABLE_PATH: ${executablePath}: error while loading shared libraries: libnss3.so`,
    );
  });

  test('that names another program is refused', async () => {
    const executablePath = await script(join(root, 'ls'), 'echo "ls (GNU coreutils) 9.1"');

    expect(await messageOfFailure(executablePath)).toContain(
      'not a Chromium, its --version is "ls (GNU coreutils) 9.1"',
    );
  });

  test('that prints no version, as on Windows, is taken', async () => {
    const executablePath = await script(join(root, 'chrome'), 'exit 0');

    expect(await findChromium({ executablePath, environment })).toMatchObject({
      version: 'unknown',
    });
  });
});

describe('what puppeteer has downloaded', () => {
  test('is a headless shell rather than a newer Chrome, and the newest of those', async () => {
    await fakeDownload(Browser.CHROME, '200.0.0.1');
    await fakeDownload(Browser.CHROMEHEADLESSSHELL, '99.0.0.1');
    const newest = await fakeDownload(Browser.CHROMEHEADLESSSHELL, '153.0.0.1');
    await fakeChromium(join(root, 'bin', 'chrome-headless-shell'));

    expect(await findChromium({ environment })).toEqual({
      executablePath: newest,
      version: '153.0.0.1',
      source: 'puppeteer cache',
      kind: 'headless-shell',
      env: { PATH: join(root, 'bin') },
    });
  });

  test('is passed over where it does not start', async () => {
    await fakeDownload(Browser.CHROMEHEADLESSSHELL, '153.0.0.1', 'exit 127');
    const chrome = await fakeDownload(Browser.CHROME, '152.0.0.1');

    expect(await findChromium({ environment })).toMatchObject({
      executablePath: chrome,
      version: '152.0.0.1',
      kind: 'chrome',
    });
  });
});

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the packaged one', () => {
  test('comes before the commands of the machine, with what it needs set', async () => {
    await fakeChromium(join(root, 'bin', 'chrome-headless-shell'));

    const found = await findChromium({
      environment: { ...environment, XDG_CACHE_HOME: root, LD_LIBRARY_PATH: '/opt/lib' },
    });

    expect(found.source).toBe('packaged');
    expect(found.kind).toBe('headless-shell');
    expect(found.version).toMatch(/^\d+(\.\d+){3}$/);
    expect(found.executablePath).toStartWith(join(root, 'curbcut'));
    expect(found.env['FONTCONFIG_FILE']).toStartWith(join(root, 'curbcut'));
    expect(found.env['LD_LIBRARY_PATH']).toEndWith('/opt/lib');
  }, 60_000);

  test("is tried with the system's NSS, then its own, then its own without SQLite", async () => {
    const candidates = await Array.fromAsync(packaged({ ...environment, XDG_CACHE_HOME: root }));

    const folder = dirname(candidates[0]?.executablePath ?? '');
    const own = join(folder, 'lib');
    expect(candidates.map(({ manner, env }) => [manner, env['LD_LIBRARY_PATH']])).toEqual([
      ["with the system's libnss3", undefined],
      ['with its own libnss3', own],
      ['with its own libnss3 and no SQLite', `${own}:${join(folder, 'sqlite-stand-in')}`],
    ]);
  }, 60_000);

  test("is unpacked in the temporary folder where the cache cannot be written, and keeps to the machine's own fontconfig where one is set", async () => {
    const found = await findChromium({
      environment: { ...environment, TMPDIR: root, FONTCONFIG_FILE: '/opt/fonts.conf' },
    });

    expect(found.executablePath).toStartWith(join(root, `curbcut-${process.geteuid?.()}`));
    expect(found.env['FONTCONFIG_FILE']).toBe('/opt/fonts.conf');
  }, 60_000);
});

describe('the commands of the machine', () => {
  test('are looked for on the PATH, a headless shell first', async () => {
    await fakeChromium(join(root, 'bin', 'chromium'));
    const shell = await fakeChromium(join(root, 'bin', 'chromium-headless-shell'));

    expect(await findChromium({ environment })).toMatchObject({
      executablePath: shell,
      source: 'PATH',
      kind: 'headless-shell',
      version: '1.2.3.4',
    });
  });

  test.each(['chromium', 'chromium-headless-shell'])(
    "are passed by for the binary where Debian's %s is a script that starts it",
    async (name) => {
      await script(join(root, 'bin', name), '/nowhere/this-is-the-script "$@"');
      const behind = await fakeChromium(join(root, 'lib', 'chromium', name));

      expect(await findChromium({ environment })).toMatchObject({ executablePath: behind });
    },
  );

  test("are passed by for the binary where Google's is a script that starts it", async () => {
    const launcher = await script(join(root, 'opt', 'google-chrome'), 'exit 1');
    const behind = await fakeChromium(join(root, 'opt', 'chrome'));
    await mkdir(join(root, 'bin'));
    await symlink(launcher, join(root, 'bin', 'google-chrome-stable'));

    expect(await findChromium({ environment })).toMatchObject({ executablePath: behind });
  });
});

test('a browser is started with the PATH that it was asked for its version with', async () => {
  const shell = await script(
    join(root, 'shell'),
    'command -v tool >/dev/null && echo "Chromium 1.2.3.4"',
  );
  await script(join(root, 'bin', 'tool'), 'true');

  const withTool = await findChromium({ executablePath: shell, environment });
  const withoutPath = await findChromium({
    executablePath: await fakeChromium(join(root, 'other')),
    environment: {},
  });

  expect(withTool.env['PATH']).toBe(join(root, 'bin'));
  expect(withoutPath.env['PATH']).toBe('/usr/bin:/bin');
});

test('where nothing starts, the error says what to do and why each was refused', async () => {
  const download = await fakeDownload(Browser.CHROME, '152.0.0.1', 'echo "broken" >&2; exit 1');
  const command = await script(join(root, 'bin', 'chromium'), 'exit 3');

  const [advice, ...refusals] = (await messageOfFailure()).split('\n');

  expect(advice).toContain('install Chromium');
  expect(advice).toContain('bunx puppeteer browsers install chrome-headless-shell');
  expect(advice).toContain('PUPPETEER_EXECUTABLE_PATH');
  expect(refusals).toEqual([
    `- puppeteer cache: ${download}: broken`,
    expect.stringMatching(/^- packaged: /),
    `- PATH: ${command}: its --version ended with exit code 3`,
  ]);
});
