import type { Queue, QueueAddOptions, RunFunction } from 'p-queue';

export interface TurnOptions extends QueueAddOptions {
  /** Tasks without one share a line. */
  readonly client?: string;
}

/** What waits, in one line for each client; the lines take turns, so that none waits behind a long one. */
export class Turns implements Queue<RunFunction, TurnOptions> {
  /** By client, whose turn is next first; in a line by id, oldest first. No line is empty. */
  readonly #lines = new Map<string, Map<string, RunFunction>>();

  get size(): number {
    return this.#lines.values().reduce((sum, line) => sum + line.size, 0);
  }

  enqueue(run: RunFunction, { client = '', id = '' }: Partial<TurnOptions> = {}): void {
    const line = this.#lines.get(client) ?? new Map<string, RunFunction>();
    this.#lines.set(client, line.set(id, run));
  }

  dequeue(): RunFunction | undefined {
    for (const [client, line] of this.#lines) {
      for (const [id, run] of line) {
        line.delete(id);
        this.#lines.delete(client);
        if (line.size > 0) this.#lines.set(client, line);
        return run;
      }
    }
    return undefined;
  }

  filter({ client = '' }: Readonly<Partial<TurnOptions>>): RunFunction[] {
    return [...(this.#lines.get(client)?.values() ?? [])];
  }

  remove(id: string): void {
    for (const [client, line] of this.#lines) {
      if (line.delete(id) && line.size === 0) this.#lines.delete(client);
    }
  }

  setPriority(): never {
    throw new Error('turns are not a matter of priority');
  }
}
