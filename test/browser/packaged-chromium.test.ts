import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  symlink,
  truncate,
  utimes,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from 'puppeteer';
import { type PackagedChromium, unpackChromium } from '../../src/browser/packaged-chromium.ts';

const unpackingTimeoutMs = 60_000;
const isPackagedFor = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!isPackagedFor)('the packaged browser', () => {
  let root: string;
  /** Unpacked once, for the tests that need a whole one to copy. */
  let whole: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
    whole = join(root, 'whole');
    await unpackChromium([whole]);
  }, unpackingTimeoutMs);

  afterAll(() => rm(root, { recursive: true, force: true }));

  const emptyCache = () => mkdtemp(join(root, 'cache-'));

  async function wholeCache(): Promise<string> {
    const cache = await emptyCache();
    await cp(whole, cache, { recursive: true });
    return cache;
  }

  test(
    'two processes that unpack at once end with the same working browser and leave nothing else',
    async () => {
      const cache = await emptyCache();
      const script = `
        const { unpackChromium } = await import(${JSON.stringify(import.meta.resolve('../../src/browser/packaged-chromium.ts'))});
        console.log((await unpackChromium([${JSON.stringify(cache)}])).executablePath);`;
      const paths = await Promise.all([outputOf(['-e', script]), outputOf(['-e', script])]);

      expect(paths[0]).toBe(paths[1]);
      expect(await versionOf(paths[0])).toMatch(/^Chromium \d+(\.\d+){3}$/);
      expect(await readdir(cache)).toEqual([expect.stringMatching(/^chromium-[\d.]+-\d+-x64$/)]);
    },
    unpackingTimeoutMs,
  );

  test('a browser that is unpacked already is used as it is', async () => {
    const cache = await wholeCache();
    const [name = ''] = await readdir(cache);
    const before = await lstat(join(cache, name, 'chromium'));

    const { executablePath } = await unpackChromium([cache]);

    const after = await lstat(executablePath);
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test.each([
    ['a binary that was cut short', (folder: string) => truncate(join(folder, 'chromium'), 1e6)],
    ['a library that was deleted', (folder: string) => rm(join(folder, 'lib', 'libnss3.so'))],
    [
      'a stand-in that was deleted',
      (folder: string) => rm(join(folder, 'sqlite-stand-in'), { recursive: true }),
    ],
    ['a list of files that is empty', (folder: string) => truncate(join(folder, 'files.txt'))],
    ['a folder that others may write in', (folder: string) => chmod(folder, 0o777)],
    [
      'a link in place of the folder',
      async (folder: string) => {
        await rm(folder, { recursive: true });
        await symlink(whole, folder);
      },
    ],
  ])(
    '%s leads to unpacking anew',
    async (_, damage) => {
      const cache = await wholeCache();
      const [name = ''] = await readdir(cache);
      await damage(join(cache, name));

      const { executablePath, librariesDirectory } = await unpackChromium([cache]);

      expect(await versionOf(executablePath)).toMatch(/^Chromium /);
      expect((await lstat(join(librariesDirectory, 'libnss3.so'))).size).toBeGreaterThan(1e6);
      expect(await modeOf(join(cache, name))).toBe('755');
      expect(await readdir(cache)).toEqual([name]);
    },
    unpackingTimeoutMs,
  );

  test('leftovers of killed processes are removed, and only those', async () => {
    const cache = await wholeCache();
    const ended = Bun.spawn(['true']);
    await ended.exited;
    const elevenMinutesAgo = Date.now() / 1000 - 660;
    const leave = async (owner: string, mtimeSeconds?: number) => {
      const folder = `chromium-1.2.3-x64.${owner}-0123abcd.partial`;
      await mkdir(join(cache, folder));
      await Bun.write(join(cache, folder, 'chromium'), 'half');
      if (mtimeSeconds !== undefined) await utimes(join(cache, folder), mtimeSeconds, mtimeSeconds);
      return folder;
    };
    await leave(`${hostname()}-${ended.pid}`);
    await leave(`${hostname()}-${process.pid}`, performance.timeOrigin / 1000 - 1);
    await leave('another-host-1', elevenMinutesAgo);
    const running = await leave(`${hostname()}-${process.ppid}`);
    const elsewhere = await leave('another-host-2');
    await mkdir(join(cache, 'chromium-1.2.3-x64'));

    await unpackChromium([cache]);

    const names = (await readdir(cache)).filter((name) => name.startsWith('chromium-1.2.3'));
    expect(names.toSorted()).toEqual(['chromium-1.2.3-x64', running, elsewhere].toSorted());
  });

  test(
    'a half unpacked folder is not taken for a whole one',
    async () => {
      const cache = await wholeCache();
      const [name = ''] = await readdir(cache);
      await rm(join(cache, name, 'files.txt'));
      await rm(join(cache, name, 'fonts'), { recursive: true });

      const { fontconfigFile } = await unpackChromium([cache]);

      expect(await readdir(join(fontconfigFile, '..'))).toContain('fonts');
    },
    unpackingTimeoutMs,
  );

  test('a cache that others may write in is passed over for the next', async () => {
    const planted = await wholeCache();
    await chmod(planted, 0o777);
    const own = await wholeCache();

    const { executablePath } = await unpackChromium([planted, own]);

    expect(executablePath).toStartWith(own);
  });

  test('where no folder will do, the reason of each is given', async () => {
    const planted = await emptyCache();
    await chmod(planted, 0o777);

    const error = await unpackChromium([planted, '/dev/null/curbcut']).catch(
      (thrown: unknown) => thrown,
    );

    expect(String(error)).toContain(
      `cannot be unpacked in ${planted}: other users could put files there; ` +
        'cannot be unpacked in /dev/null/curbcut: ENOTDIR',
    );
  });

  test(
    'another user can run it, even when unpacked under a strict umask',
    async () => {
      const cache = join(await emptyCache(), 'made', 'by-it');
      const umask = process.umask(0o077);
      let unpacked: PackagedChromium;
      try {
        unpacked = await unpackChromium([cache]);
      } finally {
        process.umask(umask);
      }

      expect(await modeOf(cache)).toBe('755');
      expect(await modeOf(join(unpacked.executablePath, '..'))).toBe('755');
      expect(await modeOf(unpacked.executablePath)).toBe('755');
      expect(await modeOf(unpacked.librariesDirectory)).toBe('755');
      expect(await modeOf(join(unpacked.librariesDirectory, 'libnss3.so'))).toBe('644');
      expect(await modeOf(unpacked.fontconfigFile)).toBe('644');
    },
    unpackingTimeoutMs,
  );

  test(
    'text is drawn with the packaged font',
    async () => {
      const { executablePath, fontconfigFile, librariesDirectory } = await unpackChromium([whole]);
      const browser = await launch({
        executablePath,
        headless: 'shell',
        pipe: true,
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        env: { FONTCONFIG_FILE: fontconfigFile, LD_LIBRARY_PATH: librariesDirectory },
      });
      try {
        const page = await browser.newPage();
        await page.setContent('<p style="font-family: Open Sans">Text</p>');
        const session = await page.createCDPSession();
        await session.send('DOM.enable');
        await session.send('CSS.enable');
        const { root: document } = await session.send('DOM.getDocument');
        const { nodeId } = await session.send('DOM.querySelector', {
          nodeId: document.nodeId,
          selector: 'p',
        });
        const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
        expect(fonts).toMatchObject([{ familyName: 'Open Sans', glyphCount: 4 }]);
      } finally {
        await browser.close();
      }
    },
    unpackingTimeoutMs,
  );
});

function versionOf(executablePath: string): Promise<string> {
  const librariesDirectory = join(executablePath, '..', 'lib');
  return outputOf(['--version'], executablePath, { LD_LIBRARY_PATH: librariesDirectory });
}

async function outputOf(
  args: string[],
  executablePath = process.execPath,
  env?: Record<string, string>,
): Promise<string> {
  const child = Bun.spawn([executablePath, ...args], { stderr: 'inherit', ...(env && { env }) });
  return (await new Response(child.stdout).text()).trim();
}

async function modeOf(path: string): Promise<string> {
  return ((await lstat(path)).mode & 0o777).toString(8);
}
