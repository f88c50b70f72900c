const peersFolder = new URL('../peers/', import.meta.url).pathname;

/** Puts them where they are looked for; quick when they are there. Throws with what went wrong. */
export async function installPeers(): Promise<void> {
  const child = Bun.spawn([process.execPath, 'install', '--frozen-lockfile'], {
    cwd: peersFolder,
    env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 300_000,
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`peers can't be installed: ${errors.trim()}`);
}

/** A package of theirs. No dependency of the project: it may be missing, and its types are. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(Bun.resolveSync(name, peersFolder))) as T;
}
