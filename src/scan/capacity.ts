/** How many scans may run at once, and how many of them axe. */
export interface Capacity {
  readonly concurrency: number;
  readonly axeConcurrency: number;
}

const scansPerProcessor = 8;
/** Most pages take a fifth of it; a few may take twice as much before they are ended. */
const bytesPerScan = 512 * 2 ** 20;
/** As many as one browser serves without being the bottleneck itself. */
const mostScans = 64;

/** What a machine has room for: pages that wait for the network need memory, axe needs a processor. */
export function capacityOf(processors: number, memoryBytes: number): Capacity {
  const byMemory = Math.floor(memoryBytes / bytesPerScan);
  const concurrency = Math.min(processors * scansPerProcessor, byMemory, mostScans);
  return { concurrency: Math.max(1, concurrency), axeConcurrency: processors };
}
