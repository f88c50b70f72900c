import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { installPeers } from './contestants/peers.ts';
import { measure } from './measure.ts';
import { type BenchOptions, parseOptions, usage } from './options.ts';
import { summarizePages } from './report/summarize.ts';
import { contestantTable, format, pageTable, targetTable, waitTable } from './report/tables.ts';
import { isReached, targetsOf } from './report/targets.ts';

/*
 * `bun run bench`: what a scan costs here, and with those who do the same. Ratios are what counts:
 * all take turns on one machine. Progress goes to the standard error, tables to the standard output.
 */

const options = readOptions();
if (options.only.some((name) => name !== 'floor' && name !== 'curbcut')) {
  await installPeers().catch((error: unknown) => note(String(error)));
}
const binary = await findChromium({ environment: process.env });
const startedAt = new Date();
const results = await measure(options, binary, note);
const pages = summarizePages(results.single.scans);
const targets = targetsOf(results, pages);

if (pages.length > 0) {
  console.log(`\nCPU per scan, ÷ floor\n\n${format(pageTable(results, pages, 'cpuMs'))}`);
  console.log(
    `\nwall time per scan, p50 ÷ floor\n\n${format(pageTable(results, pages, 'wallMs'))}`,
  );
}
console.log(`\n${format(contestantTable(results, pages))}`);
if (results.wait.length > 0) console.log(`\n${format(waitTable(results))}`);
const measured = targets.filter((target) => isReached(target) !== null);
console.log(`\n${format(targetTable(measured))}\n`);
for (const { page, of } of pages) {
  for (const difference of of.get('curbcut')?.differences ?? []) {
    console.log(`curbcut, ${page}: ${difference}`);
  }
}
for (const { contestant, page, error } of results.single.failures) {
  console.log(`${contestant}, ${page}: ${error}`);
}

await mkdir(dirname(options.json), { recursive: true });
const machine = { cpus: navigator.hardwareConcurrency, browser: binary.version };
const file = { startedAt, machine, options, targets, ...results, absent: [...results.absent] };
await Bun.write(options.json, JSON.stringify(file, null, 2));
console.log(`all figures: ${options.json}`);

function readOptions(): BenchOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    note(`bench: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(2);
  }
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
