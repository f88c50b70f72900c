import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dlopen } from 'bun:ffi';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { launch } from 'puppeteer';
import { type PackagedChromium, unpackChromium } from '../../src/browser/packaged-chromium.ts';
import { sqliteStandInName } from '../../src/browser/sqlite-stand-in.ts';

const isPackagedFor = process.platform === 'linux' && process.arch === 'x64';
const timeoutMs = 60_000;

describe.skipIf(!isPackagedFor)('the stand-in for SQLite', () => {
  let root: string;
  let packaged: PackagedChromium;
  let standIn: string;
  let libraryPath: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
    packaged = await unpackChromium([root]);
    standIn = join(packaged.sqliteStandInDirectory, sqliteStandInName);
    libraryPath = [packaged.librariesDirectory, packaged.sqliteStandInDirectory].join(delimiter);
  }, timeoutMs);

  afterAll(() => rm(root, { recursive: true, force: true }));

  test('has every symbol of SQLite that the packaged libsoftokn3 needs', () => {
    // It is linked so that the loader looks all of them up before anything runs, or gives up.
    const child = Bun.spawnSync([packaged.executablePath, '--version'], {
      env: {
        LD_LIBRARY_PATH: libraryPath,
        LD_PRELOAD: join(packaged.librariesDirectory, 'libsoftokn3.so'),
        LD_DEBUG: 'bindings',
      },
    });

    const stderr = child.stderr.toString();
    expect(child.exitCode).toBe(0);
    expect(child.stdout.toString()).toMatch(/^Chromium \d/);
    expect(stderr).toContain(`to ${standIn} [0]: normal symbol \`sqlite3_open_v2'`);
    const boundElsewhere = stderr
      .split('\n')
      .filter((line) => line.includes('symbol `sqlite3_') && !line.includes(` to ${standIn} `));
    expect(boundElsewhere).toEqual([]);
  });

  test('opens no database, hands out no memory, and makes no stack executable', async () => {
    const library = dlopen(standIn, {
      sqlite3_open_v2: { args: [], returns: 'i32' },
      sqlite3_mprintf: { args: [], returns: 'ptr' },
      sqlite3_step: { args: [], returns: 'i32' },
      sqlite3_column_int: { args: [], returns: 'i32' },
    });
    const SQLITE_ERROR = 1;

    expect(library.symbols.sqlite3_open_v2()).toBe(SQLITE_ERROR);
    expect(library.symbols.sqlite3_step()).toBe(SQLITE_ERROR);
    expect(library.symbols.sqlite3_mprintf()).toBeNull();
    expect(library.symbols.sqlite3_column_int()).toBe(0);
    library.close();
    expect(await readFile('/proc/self/maps', 'utf8')).not.toMatch(/rwxp.*\[stack\]/);
  });

  test(
    'lets the packaged browser judge the certificate of an https page, and load the page',
    async () => {
      using server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        tls: {
          cert: Bun.file(join(import.meta.dir, '../fixtures/tls/self-signed.crt')),
          key: Bun.file(join(import.meta.dir, '../fixtures/tls/self-signed.key')),
        },
        fetch: () =>
          new Response('<title>Encrypted</title>', { headers: { 'Content-Type': 'text/html' } }),
      });
      const browser = await launch({
        executablePath: packaged.executablePath,
        headless: 'shell',
        pipe: true,
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
        // NSS has its database below HOME.
        env: { HOME: root, FONTCONFIG_FILE: packaged.fontconfigFile, LD_LIBRARY_PATH: libraryPath },
      });
      try {
        const strict = await browser.newPage();
        const refusal: unknown = await strict
          .goto(server.url.href)
          .catch((error: unknown) => error);
        expect(String(refusal)).toContain('net::ERR_CERT_AUTHORITY_INVALID');

        const page = await browser.newPage();
        const session = await page.createCDPSession();
        await session.send('Security.setIgnoreCertificateErrors', { ignore: true });
        const response = await page.goto(server.url.href);
        expect(response?.status()).toBe(200);
        expect(response?.securityDetails()?.protocol()).toBe('TLS 1.3');
        expect(await page.title()).toBe('Encrypted');

        const maps = await readFile(`/proc/${browser.process()?.pid}/maps`, 'utf8');
        expect(new Set(maps.match(/\S*libsqlite3\S*/g))).toEqual(new Set([standIn]));
      } finally {
        await browser.close();
      }
    },
    timeoutMs,
  );
});
