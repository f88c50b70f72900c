import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const projectRoot = new URL('../..', import.meta.url).pathname;

/** The service as a process of its own, as its operator starts it. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** What it has logged. */
  logLines(): { level: string; message: string; [field: string]: unknown }[];
  /** The exit code, once it has ended. */
  readonly exited: Promise<number>;
  /** Sends the signal and waits for the end. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

/** Starts it on a free port, with this machine open to be scanned and no limits unless told otherwise. */
export async function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  const child = Bun.spawn([process.execPath, 'src/index.ts'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      ALLOW_NETWORKS: '127.0.0.0/8',
      RATE_LIMIT_GET: 'off',
      RATE_LIMIT_POST: 'off',
      RATE_LIMIT_TOTAL: 'off',
      ...environment,
    },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const lines: ReturnType<ServerProcess['logLines']> = [];
  const listening = Promise.withResolvers<number>();
  void (async () => {
    let rest = '';
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts.filter((part) => part.startsWith('{'))) lines.push(JSON.parse(line));
      const port = lines.find(({ message }) => message === 'listening')?.['port'];
      if (typeof port === 'number') listening.resolve(port);
    }
    listening.reject(new Error(`the service ended before it listened: ${rest}`));
  })();

  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number> => {
    child.kill(signal);
    return child.exited;
  };
  return {
    url: `http://127.0.0.1:${await listening.promise}`,
    pid: child.pid,
    exited: child.exited,
    logLines: () => lines,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) await stop('SIGTERM');
    },
  };
}

/** A folder that is removed in the end. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'curbcut-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
