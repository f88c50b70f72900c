import type { Ask, Scanner } from './worker.ts';

/** One of those who are compared, in a process of its own. */
export interface Contestant extends AsyncDisposable {
  readonly name: string;
  /** The root of its processes. */
  readonly pid: number;
  /** How many scans it runs at once, when it is not asked to do what it can't. */
  readonly isSerial: boolean;
  scan(ask: Ask): ReturnType<Scanner['scan']>;
}
