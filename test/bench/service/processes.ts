import { readdirSync, readFileSync } from 'node:fs';
import type { LoadPlan, LoadResult } from './load.ts';

const folder = import.meta.dir;

export interface BenchServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** Starts `server.ts` with these arguments. */
export async function startBenchServer(
  args: readonly ['bare'] | readonly ['curbcut', scanMs: number],
  environment: Record<string, string>,
): Promise<BenchServer> {
  const child = Bun.spawn([process.execPath, `${folder}/server.ts`, ...args.map(String)], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', ...environment },
    stdout: 'pipe',
  });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  if (!(port > 0)) throw new Error('the server ended before it listened');
  return {
    pid: child.pid,
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

export function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return runJson<LoadResult>('load.ts', plan);
}

/** Runs a file of this folder in a process of its own: JSON goes in, and comes out. */
export async function runJson<T>(file: string, input: unknown): Promise<T> {
  const child = Bun.spawn([process.execPath, `${folder}/${file}`], {
    stdin: new Blob([JSON.stringify(input)]),
    stdout: 'pipe',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${file} failed`);
  return JSON.parse(text) as T;
}

/** What the threads of a process have used, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.split(' ')[0]);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000_000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
