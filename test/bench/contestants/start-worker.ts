import type { ChromiumBinary } from '../../../src/browser/find-chromium.ts';
import type { Contestant } from './contestant.ts';
import type { Answer, Ask } from './worker.ts';

const startTimeoutMs = 60_000;
const endTimeoutMs = 5_000;
const errorLength = 300;

/** Starts a contestant that is a script beside this one. Throws when it does not get ready. */
export async function startWorker(
  name: string,
  { binary, isSerial }: { binary: ChromiumBinary; isSerial: boolean },
): Promise<Contestant> {
  const waiting = new Map<number, PromiseWithResolvers<Extract<Answer, { findings: unknown }>>>();
  const ready = Promise.withResolvers<void>();
  let errors = '';
  const child = Bun.spawn([process.execPath, `${name}.ts`, JSON.stringify(binary)], {
    cwd: import.meta.dir,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    serialization: 'json',
    ipc: (answer: Answer) => {
      if ('ready' in answer) return ready.resolve();
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('error' in answer) asked?.reject(new Error(answer.error));
      else asked?.resolve(answer);
    },
    onExit: () => {
      const error = new Error(`${name} ended: ${errors.trim().slice(-errorLength)}`);
      ready.reject(error);
      for (const { reject } of waiting.values()) reject(error);
    },
  });
  void (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      errors = (errors + text).slice(-errorLength);
    }
  })();
  const end = async (): Promise<void> => {
    // It closes its browser; one that is killed ends with the pipe to it.
    child.disconnect();
    await Promise.race([child.exited, Bun.sleep(endTimeoutMs)]);
    child.kill('SIGKILL');
    await child.exited;
  };
  try {
    await within(startTimeoutMs, ready.promise);
  } catch (error) {
    await end();
    throw error;
  }
  let lastId = 0;
  return {
    name,
    pid: child.pid,
    isSerial,
    scan: (ask: Ask) => {
      const id = (lastId += 1);
      const answer = Promise.withResolvers<Extract<Answer, { findings: unknown }>>();
      waiting.set(id, answer);
      child.send({ id, ...ask });
      return answer.promise.then(({ findings, elements }) =>
        elements === undefined ? { findings } : { findings, elements },
      );
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Nothing came in the time that there was. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Throws `NoAnswerError` when it takes longer. */
export function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new NoAnswerError(`no answer within ${timeoutMs / 1_000} s`)),
    timeoutMs,
  );
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
