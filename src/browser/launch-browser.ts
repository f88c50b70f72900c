import { writeFile } from 'node:fs/promises';
import puppeteer, { type Browser, type LaunchOptions as PuppeteerOptions } from 'puppeteer';
import type { ChromiumBinary } from './find-chromium.ts';
import { chownProfile } from './profile.ts';
import { hasSharedMemory } from './shared-memory.ts';

/*
 * Chromium makes its sandbox of user namespaces, and refuses to for root. So where the service was
 * started as root, setpriv starts the browser as a user that owns nothing but the profile. It is
 * replaced by the browser: the process that puppeteer knows is the browser's own, and leads its
 * group. Where a machine forbids one or the other the browser runs without, and the log says why.
 */

interface LaunchOptions {
  readonly binary: ChromiumBinary;
  /** A folder of the browser's own, for its profile, home and scratch files. */
  readonly profile: string;
  readonly userAgent: string;
}

interface LaunchedBrowser {
  readonly browser: Browser;
  /** Null with the sandbox on; else why it is off, and how to turn it on. */
  readonly sandboxAdvice: string | null;
}

const launchTimeoutMs = 30_000;
/** More than a scan may be given: the scan's own deadline is what ends a call into a page. */
const protocolTimeoutMs = 900_000;
const answerTimeoutMs = 5_000;

/** A proxy that does not exist: for what belongs to no scan. */
export const nowhere = 'socks5://127.0.0.1:1';
/**
 * Not `nobody`, as whom other programs run: an id of a range that is given to no user
 * (https://systemd.io/UIDS-GIDS/) and that containers have too. Two services rarely share it.
 */
const unprivilegedId = 60_706 + (process.pid % 478);

/** Pages keep all processors busy; who asks the service something is not to wait for them. */
const niceness = 5;

const noNamespaces = /no usable sandbox|failed to move to new namespace/i;
const noOtherUser = /^setpriv: |failed to execvp|permission denied/im;

const namespaceAdvice =
  'This system gives ordinary users no namespaces, which the sandbox is made of. In a container, run it ' +
  'with seccomp.json as README.md says; on Ubuntu, set kernel.apparmor_restrict_unprivileged_userns=0.';
const rootAdvice =
  'The service was started as root, and the browser could not be started as another user. Start the ' +
  'service as an ordinary user.';

/** Of V8: `node --v8-options` lists most. */
const scriptFlags = [
  // Megabytes of old objects, beside three times the next of young ones; what else a page may hold in
  // memory, the process watch bounds.
  '--max-old-space-size=432',
  // Young ones have room from the start: of what axe makes on most pages nothing need be collected.
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  // A page lives too briefly to earn back what the strongest compiler takes, and most holes in V8 are in it.
  '--no-turbofan',
  // The one below it is for what runs very often, as in pages of 10,000 elements.
  '--invocation-count-for-maglev=10000',
];

const chromiumFlags = [
  '--lang=en-US',
  '--accept-lang=en-US,en',
  // The screen of a headless shell is 800 wide, which media queries for devices would see.
  '--window-size=1280,800',
  // A headless shell has no other popup blocker. A window that shows a dialog at once stops its opener.
  '--block-new-web-contents',
  `--js-flags=${scriptFlags.join(' ')}`,
  `--disable-features=${[
    // To have documents parsed as they come costs more than it saves.
    'BackgroundResourceFetch',
    // A page that is opened for one document needs its frame, and all that draws it, but once.
    'RenderDocument',
  ].join()}`,
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
 * Puppeteer's own: a full Chrome blocks popups by itself, a page that floods the browser with
 * navigations and history entries is to be throttled, and whether it is sandboxed is decided here.
 */
const unwantedArgs: ReadonlySet<string> = new Set([
  '--disable-popup-blocking',
  '--disable-ipc-flooding-protection',
  '--no-sandbox',
]);

/** Starts a browser process, sandboxed where this machine allows it. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { binary, profile } = options;
  const isRoot = process.getuid?.() === 0;
  const setpriv = isRoot ? findSetpriv(binary) : [];
  const niceCommand = [...findNice(binary), binary.executablePath];
  if (setpriv !== null) {
    const command = [...setpriv, ...niceCommand];
    try {
      // Without the capability for it, setpriv complains too.
      if (isRoot) await chownProfile(profile, unprivilegedId).catch(() => {});
      return { browser: await launch(options, command, true), sandboxAdvice: null };
    } catch (error) {
      const complaint = await readComplaint(options, command);
      if (noNamespaces.test(complaint)) {
        const browser = await launch(options, command, false);
        return { browser, sandboxAdvice: namespaceAdvice };
      }
      if (!isRoot || !noOtherUser.test(complaint)) throw error;
      await chownProfile(profile, 0);
    }
  }
  const browser = await launch(options, niceCommand, false);
  return { browser, sandboxAdvice: rootAdvice };
}

/** Starts what follows it at a lower priority; nothing where there is no such command. */
function findNice({ env }: ChromiumBinary): string[] {
  const path = Bun.which('nice', { PATH: env['PATH'] ?? '' });
  return path === null ? [] : [path, '-n', String(niceness)];
}

/**
 * Where the kernel shares processors among sessions, niceness counts within one alone:
 * https://man7.org/linux/man-pages/man7/sched.7.html, "The autogroup feature". The browser has one of its
 * own.
 */
async function lowerSession(browser: Browser): Promise<void> {
  const pid = browser.process()?.pid;
  await writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => {});
}

/** Starts what follows it as the unprivileged user; null where there is no such command. */
function findSetpriv({ env }: ChromiumBinary): string[] | null {
  const path = Bun.which('setpriv', { PATH: env['PATH'] ?? '' });
  if (path === null) return null;
  const ids = [`--reuid=${unprivilegedId}`, `--regid=${unprivilegedId}`, '--clear-groups'];
  return [path, ...ids, '--no-new-privs', '--'];
}

async function launch(
  { binary, profile, userAgent }: LaunchOptions,
  [file = binary.executablePath, ...prefix]: string[],
  sandboxed: boolean,
): Promise<Browser> {
  const options = {
    headless: binary.kind === 'headless-shell' ? 'shell' : true,
    pipe: true,
    userDataDir: profile,
    args: [...chromiumFlags, `--user-agent=${userAgent}`],
  } satisfies PuppeteerOptions;
  const unwanted = (await hasSharedMemory())
    ? unwantedArgs.union(new Set(['--disable-dev-shm-usage']))
    : unwantedArgs;
  const args = (await puppeteer.defaultArgs(options)).filter((arg) => !unwanted.has(arg));
  const browser = await puppeteer.launch({
    ...options,
    executablePath: file,
    args: [...prefix, ...args, ...(sandboxed ? [] : ['--no-sandbox'])],
    ignoreDefaultArgs: true,
    // Nothing of the service's own environment is the browser's business.
    env: environmentOf(binary, profile),
    defaultViewport: { width: 1280, height: 800 },
    timeout: launchTimeoutMs,
    protocolTimeout: protocolTimeoutMs,
    // A signal is the service's to handle: it lets running scans finish first.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  await lowerSession(browser);
  return browser;
}

/**
 * Asks a browser that did not start for the reason: through a pipe puppeteer learns that it has
 * ended, but not why. Only some reasons are good ones to go without a sandbox.
 */
async function readComplaint(
  { binary, profile }: LaunchOptions,
  command: string[],
): Promise<string> {
  const child = Bun.spawn([...command, '--headless', `--user-data-dir=${profile}`, 'about:blank'], {
    env: environmentOf(binary, profile),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: answerTimeoutMs,
    killSignal: 'SIGKILL',
  });
  return new Response(child.stderr).text();
}

function environmentOf({ env }: ChromiumBinary, profile: string): Record<string, string> {
  return { HOME: profile, TMPDIR: profile, ...env };
}
