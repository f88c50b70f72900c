import type { ChromiumBinary } from '../../../src/browser/find-chromium.ts';
import type { Contestant } from './contestant.ts';
import { startCurbcut } from './curbcut.ts';
import { NoAnswerError, startWorker, within } from './start-worker.ts';
import type { Ask } from './worker.ts';

/** All contestants; the floor is first because the others are measured by it. */
export const contestantNames = [
  'floor',
  'curbcut',
  'axe-core-puppeteer',
  'puppeteer-cluster',
  'pa11y',
  'lighthouse',
] as const;
export type ContestantName = (typeof contestantNames)[number];

/** Longer than stock axe needs for any page of the benchmark. */
const scanTimeoutMs = 240_000;

/**
 * Those who take part. One who does not start, or gives no answer in time, is started anew when it
 * is asked again; why it failed is for the table.
 */
export class Lineup implements AsyncDisposable {
  readonly names: readonly ContestantName[];
  /** Why a contestant can't run here. */
  readonly absent = new Map<ContestantName, string>();
  readonly #binary: ChromiumBinary;
  readonly #running = new Map<ContestantName, Contestant>();

  constructor(names: readonly ContestantName[], binary: ChromiumBinary) {
    this.names = names;
    this.#binary = binary;
  }

  /** Undefined for one that can't run here. */
  async get(name: ContestantName): Promise<Contestant | undefined> {
    const running = this.#running.get(name);
    if (running !== undefined || this.absent.has(name)) return running;
    try {
      const started = await start(name, this.#binary);
      this.#running.set(name, started);
      return started;
    } catch (error) {
      this.absent.set(name, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** Ends it when it gives no answer in time: whatever it still does would be in the others' way. */
  async scan(contestant: Contestant, ask: Ask): ReturnType<Contestant['scan']> {
    try {
      return await within(scanTimeoutMs, contestant.scan(ask));
    } catch (error) {
      if (error instanceof NoAnswerError) await this.stop(contestant.name as ContestantName);
      throw error;
    }
  }

  async stop(name: ContestantName): Promise<void> {
    const contestant = this.#running.get(name);
    this.#running.delete(name);
    await contestant?.[Symbol.asyncDispose]();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.stop(name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopAll();
  }
}

function start(name: ContestantName, binary: ChromiumBinary): Promise<Contestant> {
  if (name === 'curbcut') return startCurbcut(scanTimeoutMs);
  return startWorker(name, { binary, isSerial: name === 'lighthouse' });
}
