/**
 * Chooses the browser: the one that was named, what puppeteer has downloaded, the packaged one, what
 * the machine has. Where a source has both, a headless shell comes before a full Chrome: it opens
 * pages two to three times faster.
 *
 * Each is asked for its version before it is chosen, because a file that is there often doesn't
 * start: most container images lack shared libraries, and only the loader can tell which.
 */
import { once } from 'node:events';
import {
  candidateAt,
  type ChromiumCandidate,
  commandsOnPath,
  downloadedByPuppeteer,
  type Environment,
  packaged,
} from './chromium-candidates.ts';

interface ChromiumSearch {
  /** PUPPETEER_EXECUTABLE_PATH; when given, the only browser tried. */
  readonly executablePath?: string | undefined;
  readonly environment: Environment;
}

export interface ChromiumBinary extends Omit<ChromiumCandidate, 'manner' | 'probeEnv'> {
  /** As printed by `--version`, e.g. "153.0.8010.0"; "unknown" where it prints nothing (Windows). */
  readonly version: string;
  readonly source: 'PUPPETEER_EXECUTABLE_PATH' | 'puppeteer cache' | 'packaged' | 'PATH';
}

/** No browser starts; the message says what to do about it, then why each one was refused. */
export class NoBrowserError extends Error {
  override readonly name = 'NoBrowserError';

  constructor(advice: string, refusals: readonly string[]) {
    super([advice, ...refusals.map((refusal) => `- ${refusal}`)].join('\n'));
  }
}

const versionTimeoutMs = 15_000;

/**
 * Finds a browser that starts, unpacking the packaged one when it comes to that (seconds, once).
 *
 * Throws NoBrowserError.
 */
export async function findChromium(search: ChromiumSearch): Promise<ChromiumBinary> {
  const { executablePath, environment } = search;
  const sources: [ChromiumBinary['source'], AsyncIterable<ChromiumCandidate>][] =
    executablePath === undefined
      ? [
          ['puppeteer cache', downloadedByPuppeteer(environment)],
          ['packaged', packaged(environment)],
          ['PATH', commandsOnPath(environment)],
        ]
      : [['PUPPETEER_EXECUTABLE_PATH', candidateAt(executablePath, environment)]];
  const refusals: string[] = [];
  for (const [source, candidates] of sources) {
    try {
      for await (const { manner, probeEnv, ...candidate } of candidates) {
        const env = { ...candidate.env, ...probeEnv };
        try {
          const version = await readVersion(candidate.executablePath, env);
          return { ...candidate, source, version };
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
      ? "No browser on this machine starts: install Chromium with the system's package manager, " +
          'run `bunx puppeteer browsers install chrome-headless-shell`, or set PUPPETEER_EXECUTABLE_PATH.'
      : 'PUPPETEER_EXECUTABLE_PATH names no browser that starts: correct it, or unset it to have one found.',
    refusals,
  );
}

async function readVersion(executablePath: string, env: ChromiumCandidate['env']): Promise<string> {
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
