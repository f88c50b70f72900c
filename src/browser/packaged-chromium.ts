/**
 * Unpacks the headless shell that `@sparticuz/chromium` carries as brotli files, once a machine and
 * version, into a cache folder. The package's own `executablePath()` is not used: it unpacks to
 * fixed names in the temporary folder, with no lock, no check, and no regard to who put them there.
 *
 * No lock file either, which a killed process would leave behind: each process unpacks into a
 * folder of its own next to the final one and renames it when it is whole. Whoever is second takes
 * the first one's. The list of files and sizes, written last, tells a whole folder from one that
 * something has cut short since. Nothing is used from a folder in which another user could write.
 *
 * SwiftShader is left in the package: Chromium itself calls it unsafe for untrusted pages, and
 * without it WebGL is off.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { arch, hostname, platform } from 'node:os';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress } from 'node:zlib';
import { buildSqliteStandIn, sqliteStandInName } from './sqlite-stand-in.ts';

export interface PackagedChromium {
  readonly executablePath: string;
  /** NSS, NSPR and expat, for a machine that has none. */
  readonly librariesDirectory: string;
  /** What those need of SQLite, for a machine that has none of that either. */
  readonly sqliteStandInDirectory: string;
  /** The system's fonts, where there are any, and the package's. */
  readonly fontconfigFile: string;
}

/** Of glibc: systems built on musl have none, and say of the browser only that it isn't there. */
const dynamicLoader = '/lib64/ld-linux-x86-64.so.2';
/** Raised when something else is to be unpacked, so that an older folder isn't taken for a whole one. */
const layout = 1;
const executableName = 'chromium';
const sqliteStandInFolder = 'sqlite-stand-in';
const fileListName = 'files.txt';
const leftoverAgeMs = 10 * 60_000;
const ownerOnly = 0o700;
const openToAll = 0o755;
const readableByAll = 0o644;
const writableByOthers = 0o022;

/**
 * Makes sure that the packaged browser lies unpacked in the first of the folders that can hold it.
 *
 * Throws when the package isn't for this machine, or with the reason each folder was refused for.
 */
export async function unpackChromium(
  cacheDirectories: readonly string[],
): Promise<PackagedChromium> {
  if (platform() !== 'linux' || arch() !== 'x64') {
    throw new Error(`@sparticuz/chromium is for linux x64 only, this is ${platform()} ${arch()}`);
  }
  if (!(await Bun.file(dynamicLoader).exists())) {
    throw new Error(`@sparticuz/chromium needs glibc, and there is no ${dynamicLoader}`);
  }
  const packageDirectory = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')));
  const version = await readPackageVersion(packageDirectory);
  const refusals: string[] = [];
  for (const cacheDirectory of cacheDirectories) {
    const directory = join(cacheDirectory, `chromium-${version}-${layout}-${arch()}`);
    try {
      await unpackOnce(join(packageDirectory, 'bin'), directory, cacheDirectory);
      return {
        executablePath: join(directory, executableName),
        librariesDirectory: join(directory, 'lib'),
        sqliteStandInDirectory: join(directory, sqliteStandInFolder),
        fontconfigFile: join(directory, 'fonts.conf'),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      refusals.push(`cannot be unpacked in ${cacheDirectory}: ${reason}`);
    }
  }
  throw new Error(refusals.join('; '));
}

async function readPackageVersion(packageDirectory: string): Promise<string> {
  const manifest: unknown = await Bun.file(join(packageDirectory, 'package.json')).json();
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version);
  }
  throw new Error('@sparticuz/chromium has no version');
}

async function unpackOnce(
  archives: string,
  directory: string,
  cacheDirectory: string,
): Promise<void> {
  const created = await mkdir(cacheDirectory, { recursive: true });
  if (created !== undefined) await chmod(cacheDirectory, openToAll);
  if (!(await isWrittenByOwnerOnly(cacheDirectory))) {
    throw new Error('other users could put files there');
  }
  await removeLeftovers(cacheDirectory);
  if (await isWhole(directory)) return;

  const unpacked = partialDirectory(directory);
  const discarded = partialDirectory(directory);
  try {
    await unpack(archives, unpacked, join(cacheDirectory, 'fontconfig'));
    await rename(unpacked, directory).catch(async () => {
      // The name is taken: by a process that was faster, or by a folder that is broken.
      if (await isWhole(directory)) return;
      await rename(directory, discarded).catch(() => {});
      await rename(unpacked, directory).catch(async (error: unknown) => {
        if (!(await isWhole(directory))) throw error;
      });
    });
  } finally {
    await rm(unpacked, { recursive: true, force: true });
    await rm(discarded, { recursive: true, force: true });
  }
}

async function unpack(archives: string, target: string, fontCache: string): Promise<void> {
  await mkdir(target, { mode: ownerOnly });
  const executable = join(target, executableName);
  await pipeline(
    createReadStream(join(archives, 'chromium.br')),
    createBrotliDecompress({ chunkSize: 2 ** 20 }),
    // Flushed, or a power cut could leave the right size with nothing in it.
    createWriteStream(executable, { flush: true }),
  );
  for (const name of ['al2023.tar.br', 'fonts.tar.br']) {
    const tar = await promisify(brotliDecompress)(await Bun.file(join(archives, name)).bytes());
    await new Bun.Archive(tar).extract(target);
  }
  await Bun.write(join(target, 'fonts.conf'), fontconfig(fontCache));
  await Bun.write(join(target, sqliteStandInFolder, sqliteStandInName), buildSqliteStandIn());

  // A service started as root may give the browser to another user, whatever the umask was.
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    await chmod(path, entry.isDirectory() || path === executable ? openToAll : readableByAll);
  }
  const list = await listFiles(target);
  await Bun.write(join(target, fileListName), list);
  await chmod(join(target, fileListName), readableByAll);
  await chmod(target, openToAll);
}

/** The `fonts.conf` in the package looks in folders of AWS Lambda only. */
function fontconfig(cacheDirectory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir>${Bun.escapeHTML(cacheDirectory)}</cachedir>
</fontconfig>
`;
}

async function isWhole(directory: string): Promise<boolean> {
  try {
    if (!(await isWrittenByOwnerOnly(directory))) return false;
    const list = await Bun.file(join(directory, fileListName)).text();
    return list !== '' && list === (await listFiles(directory));
  } catch {
    return false;
  }
}

async function listFiles(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const lines = await Promise.all(
    entries
      .filter((entry) => !entry.isDirectory() && entry.name !== fileListName)
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return `${relative(directory, path)} ${(await lstat(path)).size}\n`;
      }),
  );
  return lines.toSorted().join('');
}

async function isWrittenByOwnerOnly(directory: string): Promise<boolean> {
  const stats = await lstat(directory);
  const ownerIsTrusted = stats.uid === 0 || stats.uid === process.geteuid?.();
  return stats.isDirectory() && ownerIsTrusted && (stats.mode & writableByOthers) === 0;
}

function partialDirectory(directory: string): string {
  return `${directory}.${hostname()}-${process.pid}-${crypto.randomUUID().slice(0, 8)}.partial`;
}

/** Removes what processes that were killed while unpacking have left. */
async function removeLeftovers(cacheDirectory: string): Promise<void> {
  for (const name of await readdir(cacheDirectory)) {
    const [, host, pid] = /^chromium-.+-x64\.(.+)-(\d+)-[0-9a-f]{8}\.partial$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(cacheDirectory, name);
    const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: Date.now() }));
    // Pids say nothing of another container that shares the cache, hence the age.
    const abandoned = host === hostname() && !isRunning(Number(pid), mtimeMs);
    if (!abandoned && Date.now() - mtimeMs < leftoverAgeMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number, mtimeMs: number): boolean {
  // In a container that was started again, the process that was killed had the same pid.
  if (pid === process.pid) return mtimeMs >= performance.timeOrigin;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
