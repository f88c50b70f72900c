import { stat, statfs } from 'node:fs/promises';

/** What a container gets by default, 64 MB, is soon full; what needs more of it then crashes. */
const roomyBytes = 2 ** 30;

/**
 * Whether the browser's processes may share memory where the system has its place for it, which lies
 * in memory itself. Elsewhere they do it by scratch files, and a page of 150 files costs a tenth more.
 */
export async function hasSharedMemory(folder = '/dev/shm'): Promise<boolean> {
  try {
    const [{ mode }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    const isForAll = (mode & 0o002) !== 0;
    return isForAll && bavail * bsize >= roomyBytes;
  } catch {
    return false;
  }
}
