/**
 * Chooses the browser: the one that was named, what puppeteer has downloaded, the packaged one, what
 * the machine has. Where a source has both, a headless shell comes before a full Chrome: it opens
 * pages two to three times faster.
 *
 * Each is asked for its version before it is chosen, because a file that is there often doesn't
 * start: most container images lack shared libraries, and only the loader can tell which.
 */
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { Browser, detectBrowserPlatform, getInstalledBrowsers } from '@puppeteer/browsers';
import { unpackChromium } from './packaged-chromium.ts';

export interface ChromiumSearch {
  /** PUPPETEER_EXECUTABLE_PATH; when given, the only browser tried. */
  readonly executablePath?: string | undefined;
  /**
   * The service's environment. Consulted are PATH, PUPPETEER_CACHE_DIR, XDG_CACHE_HOME (the packaged
   * browser is unpacked below it) or else TMPDIR, LD_LIBRARY_PATH and FONTCONFIG_FILE.
   */
  readonly environment: Environment;
}
type Environment = Readonly<Record<string, string | undefined>>;

export interface ChromiumBinary {
  readonly executablePath: string;
  /** As printed by `--version`, e.g. "153.0.8010.0"; "unknown" where it prints nothing (Windows). */
  readonly version: string;
  readonly source: 'PUPPETEER_EXECUTABLE_PATH' | 'puppeteer cache' | 'packaged' | 'PATH';
  /** Decides puppeteer's `headless`: 'shell' for a headless shell, true for a full Chrome. */
  readonly kind: 'headless-shell' | 'chrome';
  /** Variables it must be started with, whatever else is passed on of the service's environment. */
  readonly env: Readonly<Record<string, string>>;
}

interface Candidate extends Pick<ChromiumBinary, 'executablePath' | 'kind' | 'env'> {
  /** Tells apart two ways of starting the same file. */
  readonly manner?: string;
  /** Set for asking the version only. */
  readonly probeEnv?: ChromiumBinary['env'];
}

/** No browser starts; the message says what to do about it, then why each one was refused. */
export class NoBrowserError extends Error {
  override readonly name = 'NoBrowserError';

  constructor(advice: string, refusals: readonly string[]) {
    super([advice, ...refusals.map((refusal) => `- ${refusal}`)].join('\n'));
  }
}

const versionTimeoutMs = 15_000;
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

/**
 * Finds a browser that starts, unpacking the packaged one when it comes to that (seconds, once).
 *
 * Throws NoBrowserError.
 */
export async function findChromium(search: ChromiumSearch): Promise<ChromiumBinary> {
  const { executablePath, environment } = search;
  const inherited: Record<string, string> = {};
  for (const name of libraryAndFontVariables) {
    const value = environment[name];
    if (value) inherited[name] = value;
  }

  const sources: [ChromiumBinary['source'], AsyncIterable<Candidate>][] =
    executablePath === undefined
      ? [
          ['puppeteer cache', candidatesAt(downloadedByPuppeteer(environment), inherited)],
          ['packaged', packaged(environment, inherited)],
          ['PATH', candidatesAt(commandsOnPath(environment), inherited)],
        ]
      : [['PUPPETEER_EXECUTABLE_PATH', candidatesAt([executablePath], inherited)]];
  const refusals: string[] = [];
  for (const [source, candidates] of sources) {
    try {
      for await (const { manner, probeEnv, ...candidate } of candidates) {
        const env = { PATH: environment['PATH'], ...candidate.env, ...probeEnv };
        try {
          return {
            ...candidate,
            source,
            version: await readVersion(candidate.executablePath, env),
          };
        } catch (error) {
          const what = [source, manner].filter(Boolean).join(' ');
          refusals.push(`${what}: ${candidate.executablePath}: ${messageOf(error)}`);
        }
      }
    } catch (error) {
      refusals.push(`${source}: ${messageOf(error)}`);
    }
  }
  throw new NoBrowserError(
    executablePath === undefined
      ? "No browser on this machine starts: install Chromium or libnss3 with the system's package manager, " +
          'run `bunx puppeteer browsers install chrome-headless-shell`, or set PUPPETEER_EXECUTABLE_PATH.'
      : 'PUPPETEER_EXECUTABLE_PATH names no browser that starts: correct it, or unset it to have one found.',
    refusals,
  );
}

async function* downloadedByPuppeteer(environment: Environment): AsyncGenerator<string> {
  const cacheDir = environment['PUPPETEER_CACHE_DIR'] || join(homedir(), '.cache', 'puppeteer');
  const installed = await getInstalledBrowsers({ cacheDir });
  for (const browser of [Browser.CHROMEHEADLESSSHELL, Browser.CHROME]) {
    const newestFirst = installed
      .filter((each) => each.browser === browser && each.platform === detectBrowserPlatform())
      .toSorted((a, b) => b.buildId.localeCompare(a.buildId, 'en', { numeric: true }));
    yield* newestFirst.map((each) => each.executablePath);
  }
}

async function* packaged(
  environment: Environment,
  inherited: ChromiumBinary['env'],
): AsyncGenerator<Candidate> {
  const { executablePath, librariesDirectory, fontconfigFile } = await unpackChromium([
    cacheDirectory(environment),
    join(environment['TMPDIR'] || tmpdir(), `curbcut-${process.geteuid?.()}`),
  ]);
  const shell = { executablePath, kind: 'headless-shell' } as const;
  const env = { FONTCONFIG_FILE: fontconfigFile, ...inherited };

  // The system's NSS first: it gets security updates, and comes with the libraries it opens later.
  yield { ...shell, env, manner: "with the system's libnss3" };

  const libraryPath = [librariesDirectory, inherited['LD_LIBRARY_PATH']].filter(Boolean);
  yield {
    ...shell,
    env: { ...env, LD_LIBRARY_PATH: libraryPath.join(delimiter) },
    manner: 'with its own libnss3',
    // Opened at the first https page only; the SQLite it needs isn't packaged, and where the system
    // has none the whole browser ends there.
    probeEnv: { LD_PRELOAD: join(librariesDirectory, 'libsoftokn3.so') },
  };
}

function cacheDirectory(environment: Environment): string {
  const xdgCacheHome = environment['XDG_CACHE_HOME'];
  if (xdgCacheHome && isAbsolute(xdgCacheHome)) return join(xdgCacheHome, 'curbcut');
  // Root's home is closed to the unprivileged user whom the browser may be given to.
  return process.geteuid?.() === 0 ? '/var/cache/curbcut' : join(homedir(), '.cache', 'curbcut');
}

function commandsOnPath(environment: Environment): string[] {
  return commandNames
    .map((name) => Bun.which(name, { PATH: environment['PATH'] ?? '' }))
    .filter((path) => path !== null);
}

async function* candidatesAt(
  paths: Iterable<string> | AsyncIterable<string>,
  env: ChromiumBinary['env'],
): AsyncGenerator<Candidate> {
  for await (const path of paths) {
    const executablePath = await binaryBehind(path);
    const isShell = /headless[-_]shell/.test(basename(await resolveLinks(executablePath)));
    yield { executablePath, kind: isShell ? 'headless-shell' : 'chrome', env };
  }
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

async function readVersion(executablePath: string, env: Environment): Promise<string> {
  const deadline = AbortSignal.timeout(versionTimeoutMs);
  const child = Bun.spawn([executablePath, '--version'], {
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    signal: deadline,
    killSignal: 'SIGKILL',
  });
  const [exitCode, stdout, stderr] = await Promise.race([
    Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]),
    // What a killed script has started may hold the pipes open.
    once(deadline, 'abort').then(() => {
      throw new Error(`its --version gave no answer within ${versionTimeoutMs} ms`);
    }),
  ]);
  if (exitCode !== 0) {
    const reason = stderr.trim().replace(`${executablePath}: `, '').slice(0, 300);
    throw new Error(reason || `its --version ended with exit code ${exitCode}`);
  }
  const version = /\b\d+(?:\.\d+){3}\b/.exec(stdout)?.[0];
  if (version === undefined && stdout.trim() !== '') {
    throw new Error(`not a Chromium, its --version is "${stdout.trim().slice(0, 80)}"`);
  }
  return version ?? 'unknown';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
