import type { LaunchOptions } from 'puppeteer';
import type { ChromiumBinary } from '../../../src/browser/find-chromium.ts';
import type { Findings } from '../findings.ts';

/** A page to scan. */
export interface Ask {
  readonly url: string;
  /** Matches once the page has rendered, where its `load` event comes too early to tell. */
  readonly readySelector?: string | undefined;
}

/** What a worker sends: first that it is ready, then an answer to each ask. */
export type Answer =
  | { readonly ready: true }
  | { readonly id: number; readonly findings: Findings; readonly elements?: number | undefined }
  | { readonly id: number; readonly error: string };

export interface Scanner {
  /** The number of elements of the page, where the contestant tells it. */
  scan(ask: Ask): Promise<{ findings: Findings; elements?: number }>;
  close(): Promise<void>;
}

/** Longer than any scan may take; the benchmark's own limit is what ends one. */
const protocolTimeoutMs = 900_000;

/** How a contestant starts the browser: as puppeteer does, in the same window as the service's. */
export function launchOptions({ executablePath, env, kind }: ChromiumBinary): LaunchOptions {
  return {
    executablePath,
    env: { HOME: process.env['HOME'] ?? '/', ...env },
    headless: kind === 'headless-shell' ? 'shell' : true,
    pipe: true,
    protocolTimeout: protocolTimeoutMs,
    defaultViewport: { width: 1_280, height: 800 },
    args: [
      '--window-size=1280,800',
      '--lang=en-US',
      // Pages of the benchmark are this machine's; what others name is to be found by nobody.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
      // The service has it on where it can; without, a scan costs a little less.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  };
}

/** Runs a contestant in this process, for the benchmark that has started it. */
export async function serveScans(
  start: (binary: ChromiumBinary) => Promise<Scanner>,
): Promise<void> {
  const scanner = await start(JSON.parse(process.argv[2] ?? '{}'));
  process.on('message', ({ id, ...ask }: Ask & { id: number }) => {
    scanner.scan(ask).then(
      (result) => send({ id, ...result }),
      (error: unknown) => send({ id, error: String(error) }),
    );
  });
  process.once('disconnect', () => void scanner.close().finally(() => process.exit(0)));
  send({ ready: true });
}

function send(answer: Answer): void {
  process.send?.(answer);
}
