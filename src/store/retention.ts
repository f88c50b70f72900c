interface RetentionOptions {
  /** Each deletes one bounded batch and returns how many rows went; called until 0. */
  readonly pruners: readonly (() => number)[];
  /** Gives freed space back to the file system, a bounded amount a call. */
  readonly reclaimSpace: () => void;
  readonly intervalMs?: number;
}

const hourMs = 3_600_000;

/** Deletes what is too old, now and then every hour, in steps between which requests get through. */
export function startRetention({ pruners, reclaimSpace, intervalMs = hourMs }: RetentionOptions): {
  stop(): void;
} {
  let timer: ReturnType<typeof setTimeout>;
  let remaining = [...pruners];
  const step = (): void => {
    const [prune] = remaining;
    if (prune === undefined) {
      remaining = [...pruners];
      timer = setTimeout(step, intervalMs);
      return;
    }
    if (prune() > 0) reclaimSpace();
    else remaining.shift();
    timer = setTimeout(step, 0);
  };
  step();
  return { stop: () => clearTimeout(timer) };
}
