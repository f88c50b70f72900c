import puppeteer, { type Browser } from 'puppeteer';
import type { ChromiumBinary } from './find-chromium.ts';

interface LaunchOptions {
  readonly binary: ChromiumBinary;
  /** A folder of the browser's own, for its profile, home and scratch files. */
  readonly profile: string;
  readonly userAgent: string;
}

const launchTimeoutMs = 30_000;
/** More than a scan may be given: the scan's own deadline is what ends a call into a page. */
const protocolTimeoutMs = 900_000;
const answerTimeoutMs = 5_000;

/** A proxy that does not exist: for what belongs to no scan. */
export const nowhere = 'socks5://127.0.0.1:1';

const chromiumFlags = [
  '--lang=en-US',
  '--accept-lang=en-US,en',
  // The screen of a headless shell is 800 wide, which media queries for devices would see.
  '--window-size=1280,800',
  // A headless shell has no other popup blocker. A window that shows a dialog at once stops its opener.
  '--block-new-web-contents',
  // No page is judged by what its WebGL draws, and a software GPU is one more thing to attack.
  '--disable-webgl',
  '--use-gl=disabled',
  // Its scratch files are not removed when the browser is killed.
  '--disable-component-update',
  '--no-pings',
  // Each scan has a proxy of its own.
  `--proxy-server=${nowhere}`,
  '--proxy-bypass-list=<-loopback>',
  // Names are the proxy's to resolve.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--disable-quic',
  // Headless shell and full Chrome know this policy under different names.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/**
 * Starts a browser process, sandboxed where this machine allows it. Chromium refuses to sandbox
 * itself for root.
 */
export async function launchBrowser(
  options: LaunchOptions,
): Promise<{ browser: Browser; sandboxed: boolean }> {
  if (process.getuid?.() === 0) return { browser: await launch(options, false), sandboxed: false };
  try {
    return { browser: await launch(options, true), sandboxed: true };
  } catch (error) {
    if (!(await lacksSandbox(options.binary, options.profile))) throw error;
    return { browser: await launch(options, false), sandboxed: false };
  }
}

function launch({ binary, profile, userAgent }: LaunchOptions, sandboxed: boolean) {
  return puppeteer.launch({
    executablePath: binary.executablePath,
    headless: binary.kind === 'headless-shell' ? 'shell' : true,
    pipe: true,
    userDataDir: profile,
    // Nothing of the service's own environment is the browser's business.
    env: { HOME: profile, TMPDIR: profile, ...binary.env },
    args: [...chromiumFlags, `--user-agent=${userAgent}`, ...(sandboxed ? [] : ['--no-sandbox'])],
    // Puppeteer's own default: a full Chrome blocks popups by itself.
    ignoreDefaultArgs: ['--disable-popup-blocking'],
    defaultViewport: { width: 1280, height: 800 },
    timeout: launchTimeoutMs,
    protocolTimeout: protocolTimeoutMs,
    // A signal is the service's to handle: it lets running scans finish first.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/**
 * Whether a browser that did not start ended because this machine gives an ordinary user no
 * namespaces to sandbox with, as under Docker's default profile. Asks the browser itself: through
 * a pipe puppeteer learns that it has ended, but not why. Any other end is no reason to go without.
 */
async function lacksSandbox(
  { executablePath, env }: ChromiumBinary,
  profile: string,
): Promise<boolean> {
  const child = Bun.spawn(
    [executablePath, '--headless', `--user-data-dir=${profile}`, 'about:blank'],
    {
      env: { HOME: profile, TMPDIR: profile, ...env },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: answerTimeoutMs,
      killSignal: 'SIGKILL',
    },
  );
  const complaint = await new Response(child.stderr).text();
  return /no usable sandbox|failed to move to new namespace/i.test(complaint);
}
