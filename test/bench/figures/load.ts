import type { Contestant } from '../contestants/contestant.ts';
import type { ContestantName, Lineup } from '../contestants/lineup.ts';
import { CpuMeter } from '../cpu-meter.ts';
import { readPss } from '../process-times.ts';

/** What came of so many clients that ask for one scan after another. */
export interface Load {
  readonly contestant: ContestantName;
  readonly clients: number;
  readonly scans: number;
  readonly failures: number;
  readonly scansPerMinute: number;
  readonly cpuMsPerScan: number;
  /** Of the process tree, in bytes. */
  readonly peakPss: number;
}

/** URLs that were never asked for before, of the same pages again and again. */
export interface UrlsInTurn {
  readonly next: () => string;
  readonly roundLength: number;
}

const lookMs = 500;

/**
 * Keeps the contestant busy for the time told and until the round of pages is over, so that all have
 * scanned the same mixture; then waits for the scans that have begun. All count, and so does their time.
 */
export async function loadContestant(
  lineup: Lineup,
  contestant: Contestant,
  {
    clients,
    durationMs,
    urls: { next, roundLength },
    looksPerPss = 1,
  }: {
    clients: number;
    durationMs: number;
    urls: UrlsInTurn;
    /** To add up what processes hold keeps the processor busy: where speed is measured, do it rarely. */
    looksPerPss?: number;
  },
): Promise<Load> {
  const meter = new CpuMeter(contestant.pid);
  const before = meter.read();
  let peakPss = 0;
  let looked = 0;
  const look = (): void => {
    meter.read();
    if (looked % looksPerPss === 0) peakPss = Math.max(peakPss, readPss(meter.pids));
    looked += 1;
  };
  const looks = setInterval(look, lookMs);
  let [asked, scans, failures] = [0, 0, 0];
  const startedAt = performance.now();
  let lastAt = startedAt;
  const work = Array.from({ length: clients }, async () => {
    while (performance.now() - startedAt < durationMs || asked % roundLength > 0) {
      asked += 1;
      try {
        await lineup.scan(contestant, { url: next() });
        scans += 1;
        lastAt = performance.now();
      } catch {
        failures += 1;
        // One that answers at once that it can't is not to be asked without a pause.
        await Bun.sleep(lookMs);
      }
    }
  });
  await Promise.all(work);
  clearInterval(looks);
  return {
    contestant: contestant.name as ContestantName,
    clients,
    scans,
    failures,
    scansPerMinute: scans === 0 ? 0 : (scans / (lastAt - startedAt)) * 60_000,
    cpuMsPerScan: (meter.read().treeMs - before.treeMs) / scans,
    peakPss,
  };
}

/** Of the same load several times. */
export function meanLoad(turns: readonly Load[]): Load {
  const sum = (of: (load: Load) => number): number =>
    turns.reduce((total, load) => total + of(load), 0);
  const scans = sum((load) => load.scans);
  // A turn without a scan tells nothing of what one costs.
  const cpuMs = sum((load) => (load.scans === 0 ? 0 : load.cpuMsPerScan * load.scans));
  return {
    ...turns[0]!,
    scans,
    failures: sum((load) => load.failures),
    scansPerMinute: sum((load) => load.scansPerMinute) / turns.length,
    cpuMsPerScan: cpuMs / scans,
    peakPss: Math.max(...turns.map((load) => load.peakPss)),
  };
}
