import type { ContestantName } from '../contestants/lineup.ts';
import type { Load } from '../figures/load.ts';
import type { MemoryUse } from '../figures/memory.ts';
import type { SingleScans } from '../figures/one-at-a-time.ts';

/** All that was measured; a figure that was not asked for is empty. */
export interface BenchResults {
  readonly names: readonly ContestantName[];
  /** Why a contestant could not run, or was given up. */
  readonly absent: ReadonlyMap<ContestantName, string>;
  readonly single: SingleScans;
  readonly throughput: readonly Load[];
  readonly wait: readonly Load[];
  readonly memory: readonly MemoryUse[];
}
