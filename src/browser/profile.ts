import { lchown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const profilePrefix = 'curbcut-profile-';

/** A full Chrome would show PDF files, with an extension of its own. */
const preferences = { plugins: { always_open_pdf_externally: true } };

/** Makes a private folder for one browser process: its profile, home and scratch space. */
export async function createProfile(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `${profilePrefix}${process.pid}-`));
  await Bun.write(join(path, 'Default', 'Preferences'), JSON.stringify(preferences));
  return path;
}

/** Gives it to a user, in a group of the same id. */
export async function chownProfile(path: string, userId: number): Promise<void> {
  const names = await readdir(path, { recursive: true });
  await Promise.all(['', ...names].map((name) => lchown(join(path, name), userId, userId)));
}

export async function removeProfile(path: string): Promise<void> {
  // A browser that was just killed may still be writing.
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes the profiles that killed processes left behind. */
export async function sweepProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(profilePrefix)) continue;
    const path = join(tmpdir(), name);
    const ownerPid = Number(name.slice(profilePrefix.length).split('-')[0]);
    // Another user's can't be removed, and another process may be quicker.
    if (await isLeftover(path, ownerPid)) await removeProfile(path).catch(() => {});
  }
}

async function isLeftover(path: string, ownerPid: number): Promise<boolean> {
  if (ownerPid === process.pid) {
    // In a container every life of the service has the same pid.
    const status = await stat(path).catch(() => null);
    return status !== null && status.mtimeMs < performance.timeOrigin;
  }
  try {
    process.kill(ownerPid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
