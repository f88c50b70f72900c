import { Database } from 'bun:sqlite';
import { Elysia } from 'elysia';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { pageScan, ruleResult } from '../../support/test-app.ts';

/*
 * A process of its own. `server.ts curbcut MS`: the service without a browser, whose scans take so
 * long each. `server.ts bare`: the least that answers with a row. Both print their port.
 */

const [kind, scanMs] = process.argv.slice(2);
console.log(kind === 'bare' ? startBare() : await startCurbcut(Number(scanMs)));

function startBare(): number | undefined {
  const sqlite = new Database(process.env['DATABASE_PATH'], { readonly: true });
  const select = sqlite.prepare<{ report: string }, [string]>(
    'select report from reports where scan_id = ?',
  );
  const headers = { 'content-type': 'application/json' };
  return new Elysia()
    .get('/row/:scanId', ({ params }) => select.get(params.scanId))
    .get('/text/:scanId', ({ params }) => {
      return new Response(select.get(params.scanId)?.report, { headers });
    })
    .listen({ port: 0, hostname: '127.0.0.1' }).server?.port;
}

async function startCurbcut(takesMs: number): Promise<number> {
  const violations = [ruleResult('image-alt', 'critical', 3), ruleResult('region', 'moderate', 2)];
  const app = await createApp(parseConfig(process.env), process.env, {
    runAxe: async () => {
      await Bun.sleep(takesMs);
      return pageScan({ violations });
    },
    log: createLog('warn'),
  });
  return app.listen();
}
