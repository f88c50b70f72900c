import { parseArgs } from 'node:util';
import { createApp } from './app.ts';
import { parseConfig } from './config.ts';
import { formatText } from './report/formats/text.ts';

const usage = `Usage: bun run scan <url> [--json]

Scans one page and prints a report. No server is needed, and pages on this machine and in its
networks may be scanned too.

  --json   print the whole report as JSON, with every element that was found

Exit codes: 0 no violations, 1 violations, 2 the page could not be scanned.
`;

/**
 * The owner of the machine asks, so nothing is off limits and nothing is kept. Log lines would only
 * stand in the report's way.
 */
const commandLineSettings = {
  ALLOW_NETWORKS: '0.0.0.0/0,::/0',
  DATABASE_PATH: ':memory:',
  RATE_LIMIT_GET: 'off',
  RATE_LIMIT_POST: 'off',
  RATE_LIMIT_TOTAL: 'off',
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
};

// Else an error outside the scan would end with 1, which says that there are violations.
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  fail(error);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const [command, url, ...rest] = positionals;
  if (values.help === true || command !== 'scan' || url === undefined || rest.length > 0) {
    process.stderr.write(usage);
    return values.help === true ? 0 : 2;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
  await using app = await createApp(
    parseConfig({ ...process.env, ...commandLineSettings }),
    process.env,
  );
  const { report, findings } = await app.scanNow(url, interrupted.signal);
  await print(
    values.json === true
      ? `${JSON.stringify({ ...report, ...findings }, null, 2)}\n`
      : formatText(report, findings),
  );
  return report.violations.length > 0 ? 1 : 0;
}

async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, text);
  } catch (error) {
    // A reader such as `head` has seen enough.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}
