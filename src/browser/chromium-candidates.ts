import { realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { Browser, detectBrowserPlatform, getInstalledBrowsers } from '@puppeteer/browsers';
import { unpackChromium } from './packaged-chromium.ts';

/** A browser that may or may not start. */
export interface ChromiumCandidate {
  readonly executablePath: string;
  /** Decides puppeteer's `headless`: 'shell' for a headless shell, true for a full Chrome. */
  readonly kind: 'headless-shell' | 'chrome';
  /** Variables it must be started with, whatever else is passed on of the service's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Tells apart two ways of starting the same file. */
  readonly manner?: string;
  /** Set for asking the version only. */
  readonly probeEnv?: Readonly<Record<string, string>>;
}

/**
 * The service's environment. Consulted are PATH, PUPPETEER_CACHE_DIR, XDG_CACHE_HOME (the packaged
 * browser is unpacked below it) or else TMPDIR, LD_LIBRARY_PATH and FONTCONFIG_FILE.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

const defaultPath = '/usr/bin:/bin';
const libraryAndFontVariables = ['LD_LIBRARY_PATH', 'FONTCONFIG_FILE'];
const commandNames = [
  'chrome-headless-shell',
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** What puppeteer has downloaded: the headless shells, then the Chromes, the newest of each first. */
export async function* downloadedByPuppeteer(
  environment: Environment,
): AsyncGenerator<ChromiumCandidate> {
  const cacheDir = environment['PUPPETEER_CACHE_DIR'] || join(homedir(), '.cache', 'puppeteer');
  const installed = await getInstalledBrowsers({ cacheDir });
  for (const browser of [Browser.CHROMEHEADLESSSHELL, Browser.CHROME]) {
    const newestFirst = installed
      .filter((each) => each.browser === browser && each.platform === detectBrowserPlatform())
      .toSorted((a, b) => b.buildId.localeCompare(a.buildId, 'en', { numeric: true }));
    for (const { executablePath } of newestFirst) {
      yield* candidateAt(executablePath, environment);
    }
  }
}

/** The packaged browser, unpacked when it isn't yet, with ever fewer libraries of the system's. */
export async function* packaged(environment: Environment): AsyncGenerator<ChromiumCandidate> {
  const { executablePath, librariesDirectory, sqliteStandInDirectory, fontconfigFile } =
    await unpackChromium([
      cacheDirectory(environment),
      join(environment['TMPDIR'] || tmpdir(), `curbcut-${process.geteuid?.()}`),
    ]);
  const inherited = inheritedFrom(environment);
  const shell = { executablePath, kind: 'headless-shell' } as const;
  const env = { FONTCONFIG_FILE: fontconfigFile, ...inherited };

  // The system's NSS first: it gets security updates, and comes with the libraries it opens later.
  yield { ...shell, env, manner: "with the system's libnss3" };

  const withLibraries = (...directories: string[]) => {
    const path = [...directories, inherited['LD_LIBRARY_PATH']].filter(Boolean).join(delimiter);
    return {
      env: { ...env, LD_LIBRARY_PATH: path },
      // Opened at the first https page only; where the SQLite it needs is missing, the whole browser
      // ends there.
      probeEnv: { LD_PRELOAD: join(librariesDirectory, 'libsoftokn3.so') },
    };
  };
  yield { ...shell, ...withLibraries(librariesDirectory), manner: 'with its own libnss3' };
  yield {
    ...shell,
    ...withLibraries(librariesDirectory, sqliteStandInDirectory),
    manner: 'with its own libnss3 and no SQLite',
  };
}

/** Browsers among the commands of the machine. */
export async function* commandsOnPath(environment: Environment): AsyncGenerator<ChromiumCandidate> {
  for (const name of commandNames) {
    const path = Bun.which(name, { PATH: environment['PATH'] ?? '' });
    if (path !== null) yield* candidateAt(path, environment);
  }
}

/** The browser that a path leads to. */
export async function* candidateAt(
  path: string,
  environment: Environment,
): AsyncGenerator<ChromiumCandidate> {
  const executablePath = await binaryBehind(path);
  const isShell = /headless[-_]shell/.test(basename(await resolveLinks(executablePath)));
  const env = inheritedFrom(environment);
  yield { executablePath, kind: isShell ? 'headless-shell' : 'chrome', env };
}

function inheritedFrom(environment: Environment): Record<string, string> {
  const inherited: Record<string, string> = { PATH: environment['PATH'] || defaultPath };
  for (const name of libraryAndFontVariables) {
    const value = environment[name];
    if (value) inherited[name] = value;
  }
  return inherited;
}

function cacheDirectory(environment: Environment): string {
  const xdgCacheHome = environment['XDG_CACHE_HOME'];
  if (xdgCacheHome && isAbsolute(xdgCacheHome)) return join(xdgCacheHome, 'curbcut');
  // Root's home is closed to the unprivileged user whom the browser may be given to.
  return process.geteuid?.() === 0 ? '/var/cache/curbcut' : join(homedir(), '.cache', 'curbcut');
}

/**
 * Debian's commands are scripts that start the browser as their child, so that ending the process
 * puppeteer knows would leave the browser running; Google's start others beside it.
 */
async function binaryBehind(path: string): Promise<string> {
  const command = await resolveLinks(path);
  const behind = basename(command).startsWith('google-chrome')
    ? join(dirname(command), 'chrome')
    : join(dirname(command), '..', 'lib', 'chromium', basename(command));
  return (await Bun.file(behind).exists()) ? behind : path;
}

function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
