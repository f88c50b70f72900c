interface RetentionOptions {
  /** Each deletes one bounded batch and returns how many rows went; called until 0. */
  readonly pruners: readonly (() => number)[];
  /** Gives some of the freed space back to the file system and returns how much; called until 0. */
  readonly reclaimSpace: () => number;
  /** Told what a task threw; it is tried again after the interval, the others go on. */
  readonly onError: (error: unknown) => void;
  readonly intervalMs?: number;
}

const hourMs = 3_600_000;

/** Deletes what is too old, now and then every hour, in steps between which requests get through. */
export function startRetention({
  pruners,
  reclaimSpace,
  onError,
  intervalMs = hourMs,
}: RetentionOptions): {
  stop(): void;
} {
  let timer: ReturnType<typeof setTimeout>;
  const tasks = [...pruners, reclaimSpace];
  let remaining = tasks;
  const step = (): void => {
    const [task, ...others] = remaining;
    if (task === undefined) {
      remaining = tasks;
      timer = setTimeout(step, intervalMs);
      return;
    }
    try {
      if (task() === 0) remaining = others;
    } catch (error) {
      onError(error);
      remaining = others;
    }
    timer = setTimeout(step, 0);
  };
  step();
  return { stop: () => clearTimeout(timer) };
}
