import { once } from 'node:events';
import type { Browser, CDPSession } from 'puppeteer';
import type { Log } from '../log.ts';
import type { ChromiumBinary } from './find-chromium.ts';
import { launchBrowser } from './launch-browser.ts';
import { discoverPages } from './open-page.ts';
import { createProfile, removeProfile } from './profile.ts';
import { within } from './time-limit.ts';
import { userAgentOf } from './user-agent.ts';

/** A browser process, and what there is of it outside. */
export interface RunningBrowser {
  readonly browser: Browser;
  /** Reaches the browser itself. */
  readonly session: CDPSession;
  /** Leads the group of all its processes. */
  readonly pid: number;
  readonly profile: string;
  /** Rejects when the browser is gone. */
  readonly died: Promise<never>;
  /** Makes `died` reject at once, for a reason of its own. */
  readonly fail: (error: Error) => void;
}

const openTimeoutMs = 15_000;
const exitTimeoutMs = 3_000;

/** Starts a browser with a profile of its own. Remove it when it has ended. */
export async function startBrowser(
  binary: ChromiumBinary,
  productToken: string,
  log: Log,
): Promise<RunningBrowser> {
  const profile = await createProfile();
  try {
    const userAgent = userAgentOf(binary, productToken);
    const { browser, sandboxAdvice } = await launchBrowser({ binary, profile, userAgent });
    const pid = browser.process()?.pid;
    if (pid === undefined) throw new Error('the browser has no process');
    const session = await within(openTimeoutMs, openSession(browser)).catch((error: unknown) => {
      killGroup(pid);
      throw error;
    });
    log[sandboxAdvice === null ? 'info' : 'warn']('browser started', {
      version: binary.version,
      source: binary.source,
      executable: binary.executablePath,
      sandbox: sandboxAdvice === null,
      ...(sandboxAdvice === null ? {} : { advice: sandboxAdvice }),
    });
    const { promise: died, reject: fail } = Promise.withResolvers<never>();
    died.catch(() => {});
    browser.once('disconnected', () => fail(new Error('the browser is gone')));
    return { browser, session, pid, profile, died, fail };
  } catch (error) {
    await removeProfile(profile);
    throw error;
  }
}

async function openSession(browser: Browser): Promise<CDPSession> {
  const session = await browser.target().createCDPSession();
  await discoverPages(session);
  return session;
}

/** Puppeteer makes the browser the leader of its own process group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}

/** Clears up after a browser whose connection has ended. */
export async function removeBrowser({ browser, pid, profile }: RunningBrowser): Promise<void> {
  // The connection ends before the process does, which writes to its profile until then.
  const child = browser.process();
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    await within(exitTimeoutMs, once(child, 'exit')).catch(() => {});
  }
  // Without the sandbox, a renderer that has stopped outlives its browser.
  killGroup(pid);
  await removeProfile(profile);
}
