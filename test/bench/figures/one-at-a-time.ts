import type { ContestantName, Lineup } from '../contestants/lineup.ts';
import { NoAnswerError } from '../contestants/start-worker.ts';
import { CpuMeter } from '../cpu-meter.ts';
import type { Findings } from '../findings.ts';
import { type BenchPage, smallPage } from '../pages/page-set.ts';
import type { BenchServer } from '../pages/serve.ts';

/** One scan with nothing else under way. */
export interface SingleScan {
  readonly contestant: ContestantName;
  readonly page: string;
  readonly wallMs: number;
  /** Of the whole process tree, what is done after the answer included. */
  readonly cpuMs: number;
  /** Of the root process alone. */
  readonly rootCpuMs: number;
  readonly findings: Findings;
  /** As the floor counts them. */
  readonly elements?: number;
}

/** A scan that gave no findings. */
interface Failure {
  readonly contestant: ContestantName;
  readonly page: string;
  readonly error: string;
  readonly isTimeout: boolean;
}

export interface SingleScans {
  readonly scans: readonly SingleScan[];
  readonly failures: readonly Failure[];
}

const warmUpScans = 2;
const lookMs = 100;
const quietMs = 60;
/** What may be used in that time by processes that do nothing. */
const quietCpuMs = 10;
const longestUnrestMs = 3_000;
/** Of the floor, from which on a page is scanned once by the others; and by Curbcut alone of them. */
const longCpuMs = 3_000;
const veryLongCpuMs = 15_000;
const tolerableTimeouts = 3;

/**
 * Every contestant scans every page so many times, in turns, so that what else happens on the machine
 * meets all of them alike. Pages that take long are spared the peers.
 */
export async function scanOneAtATime(
  lineup: Lineup,
  server: BenchServer,
  pages: readonly BenchPage[],
  { runs, onScan }: { runs: number; onScan: (scan: SingleScan) => void },
): Promise<SingleScans> {
  const scans: SingleScan[] = [];
  const failures: Failure[] = [];
  const meters = new Map<number, CpuMeter>();
  const scan = async (name: ContestantName, page: BenchPage): Promise<SingleScan | null> => {
    const contestant = await lineup.get(name);
    if (contestant === undefined) return null;
    const meter = meters.getOrInsertComputed(contestant.pid, (pid) => new CpuMeter(pid));
    const before = meter.read();
    const looks = setInterval(() => meter.read(), lookMs);
    const startedAt = performance.now();
    try {
      const ask = { url: server.urlOf(page), readySelector: page.readySelector };
      const { findings, ...rest } = await lineup.scan(contestant, ask);
      const wallMs = performance.now() - startedAt;
      const after = await readWhenQuiet(meter);
      return {
        contestant: name,
        page: page.name,
        wallMs,
        cpuMs: after.treeMs - before.treeMs,
        rootCpuMs: after.rootMs - before.rootMs,
        findings,
        ...rest,
      };
    } catch (error) {
      failures.push({
        contestant: name,
        page: page.name,
        error: String(error),
        isTimeout: error instanceof NoAnswerError,
      });
      return null;
    } finally {
      clearInterval(looks);
    }
  };

  for (const name of lineup.names) {
    for (let i = 0; i < warmUpScans; i += 1) await scan(name, smallPage);
  }
  failures.length = 0;
  for (let run = 0; run < runs; run += 1) {
    for (const page of pages) {
      for (const name of lineup.names) {
        if (isSpared(scans, name, page) || isGivenUp(failures, name, page)) continue;
        const result = await scan(name, page);
        if (result === null) continue;
        scans.push(result);
        onScan(result);
      }
    }
  }
  return { scans, failures };
}

/** Once it has taken the floor long. */
function isSpared(scans: readonly SingleScan[], name: ContestantName, page: BenchPage): boolean {
  const ofPage = scans.filter((scan) => scan.page === page.name);
  const floorMs = ofPage.find(({ contestant }) => contestant === 'floor')?.cpuMs ?? 0;
  const isPeer = name !== 'floor' && name !== 'curbcut';
  if (isPeer && floorMs >= veryLongCpuMs) return true;
  const isOnce = floorMs >= veryLongCpuMs || (isPeer && floorMs >= longCpuMs);
  return isOnce && ofPage.some(({ contestant }) => contestant === name);
}

/** Once it has given no answer: each time costs as long as a scan may take. */
function isGivenUp(failures: readonly Failure[], name: ContestantName, page: BenchPage): boolean {
  const timeouts = failures.filter(({ contestant, isTimeout }) => contestant === name && isTimeout);
  return (
    timeouts.length >= tolerableTimeouts || timeouts.some((timeout) => timeout.page === page.name)
  );
}

/** A context is closed, or the next one made ready, after the answer. */
async function readWhenQuiet(meter: CpuMeter): Promise<ReturnType<CpuMeter['read']>> {
  const deadline = performance.now() + longestUnrestMs;
  let last = meter.read();
  for (;;) {
    await Bun.sleep(quietMs);
    const now = meter.read();
    if (now.treeMs - last.treeMs <= quietCpuMs || performance.now() > deadline) return now;
    last = now;
  }
}
