import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer, temporaryFolder } from '../../support/server-process.ts';
import type { Findings, RuleFindings } from '../findings.ts';
import type { Contestant } from './contestant.ts';
import type { Ask } from './worker.ts';

const clients = 100;

/**
 * The service as its operators start it, but for the limits. Variables such as SCAN_CONCURRENCY that
 * the benchmark was started with are the service's too.
 */
export async function startCurbcut(scanTimeoutMs: number): Promise<Contestant> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await temporaryFolder());
  // Started as root, the browser is given to another user, whose profile lies below.
  await chmod(folder.path, 0o755);
  const server = cleanup.use(
    await startServer({
      DATABASE_PATH: join(folder.path, 'bench.sqlite'),
      TMPDIR: folder.path,
      TRUSTED_PROXIES: '127.0.0.0/8',
      ALLOW_NETWORKS: '127.0.0.0/8,::1/128',
      // What pages name beyond this machine is to be found by nobody.
      ALLOW_PORTS: '9',
      SCAN_TIMEOUT_SECONDS: String(scanTimeoutMs / 1_000),
    }),
  );
  let asked = 0;
  const resources = cleanup.move();
  return {
    name: 'curbcut',
    pid: server.pid,
    isSerial: false,
    scan: async ({ url }: Ask) => {
      asked += 1;
      const response = await fetch(`${server.url}/api/v1/scan`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `192.0.2.${asked % clients}`,
        },
        body: JSON.stringify({ url, async: false }),
      });
      const body = await response.json();
      if (body.status !== 'done')
        throw new Error(`${response.status} ${body.code}: ${body.detail}`);
      return { findings: findingsOf(body) };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The fields of the answer that are compared. */
interface ReportBody {
  readonly engine: { readonly version: string };
  readonly needsReviewCount: number;
  readonly violations: readonly { id: string; impact: string; count: number }[];
}

function findingsOf({ engine, needsReviewCount, violations }: ReportBody): Findings {
  const rules: RuleFindings = Object.fromEntries(
    violations.map(({ id, impact, count }) => [id, { impact, count }]),
  );
  return { axeVersion: engine.version, violations: rules, incomplete: needsReviewCount };
}
