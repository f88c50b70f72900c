import { judgeMemory } from './judge.ts';
import { runSoak, type Sample } from './soak.ts';

/*
 * `bun run soak [scans]`: prints what the service held after each fifth of the scans, and how those
 * ended; exits with 1 when something does not hold.
 */

const scans = Number(process.argv[2] ?? 2_000);
if (!Number.isInteger(scans) || scans < 10) {
  process.stderr.write('soak: give the number of scans, 10 or more\n');
  process.exit(2);
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
const columns: readonly (readonly [heading: string, cell: (sample: Sample) => string | number])[] =
  [
    ['scans', ({ scans: count }) => count],
    ['seconds', ({ seconds }) => seconds],
    ['service MB', ({ serviceMemory }) => megabytes(serviceMemory)],
    ['tree MB', ({ treeMemory }) => megabytes(treeMemory)],
    ['garbage MB', ({ garbage }) => megabytes(garbage)],
    ['processes', ({ processes }) => processes],
    ['descriptors', ({ descriptors }) => descriptors],
    ['listening', ({ listeningSockets }) => listeningSockets],
    ['profiles', ({ profiles }) => profiles],
    ['orphans', ({ orphans }) => orphans],
  ];
const print = (cells: readonly (string | number)[]): void =>
  console.log(cells.map((cell) => String(cell).padStart(11)).join(' '));

print(columns.map(([heading]) => heading));
const { samples, outcomes, kills, givenUp, faults } = await runSoak({
  measureAfter: [0.1, 0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.round(part * scans)),
  quietMs: 5_000,
  onSample: (sample) => print(columns.map(([, cell]) => cell(sample))),
});
console.log(`\nbrowsers killed: ${kills}, given up by the service: ${givenUp}\n`);
for (const [kind, counts] of outcomes) {
  const endings = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`${kind.padEnd(20)} ${endings.join(', ')}`);
}
const allFaults = [...faults, ...judgeMemory(samples)];
console.log(allFaults.length === 0 ? '\neverything holds' : '\ndoes not hold:');
for (const fault of allFaults) console.log(`- ${fault}`);
process.exit(allFaults.length === 0 ? 0 : 1);
