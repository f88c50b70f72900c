import type { ChromiumBinary } from './find-chromium.ts';

const answerTimeoutMs = 5_000;

/**
 * Whether a browser that did not start ended because this machine gives an ordinary user no
 * namespaces to sandbox with, as under Docker's default profile. Asks the browser itself: through
 * a pipe puppeteer learns that it has ended, but not why. Any other end is no reason to go without.
 */
export async function lacksSandbox(
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
