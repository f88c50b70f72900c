import { createApp } from '../../src/app.ts';
import type { PageScan, RunAxe } from '../../src/browser/run-axe.ts';
import { parseConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';

export interface TestApp extends AsyncDisposable {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  request(path: string, init?: RequestInit): Promise<Response>;
  readonly clock: { nowMs: number };
}

/** The real app on a database in memory, with a clock that stands still and no browser. */
export async function createTestApp({
  runAxe = () => Promise.resolve(pageScan()),
  environment = {},
}: {
  runAxe?: RunAxe;
  environment?: Record<string, string>;
} = {}): Promise<TestApp> {
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const config = parseConfig({ DATABASE_PATH: ':memory:', ...environment });
  const app = await createApp(
    config,
    {},
    { runAxe, now: () => clock.nowMs, log: createLog('silent') },
  );
  const request = (path: string, init?: RequestInit): Promise<Response> =>
    app.handle(new Request(`http://localhost${path}`, init));
  return {
    clock,
    request,
    get: (path, headers = {}) => request(path, { headers }),
    post: (body, headers = {}) =>
      request('/api/v1/scan', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    [Symbol.asyncDispose]: app.close,
  };
}

/** What the browser stage gives for a page without violations. */
export function pageScan(changes: Partial<PageScan> = {}): PageScan {
  return {
    url: 'https://example.com/',
    finalUrl: 'https://example.com/',
    violations: [],
    incomplete: [],
    engineVersion: '4.14.1',
    rulesNotCompleted: [],
    warnings: [],
    closed: Promise.resolve(),
    ...changes,
  };
}

/** One rule of axe's result with so many affected elements. */
export function ruleResult(
  id: string,
  impact: 'critical' | 'serious' | 'moderate' | 'minor' | null,
  count = 1,
): PageScan['violations'][number] {
  return {
    id,
    ...(impact === null ? {} : { impact }),
    description: `What ${id} checks`,
    help: `What to do about ${id}`,
    helpUrl: `https://rules.example/${id}`,
    tags: ['cat.structure', 'wcag2a', 'wcag111'],
    nodeCount: count,
    nodes: Array.from({ length: count }, (_, index) => ({
      html: `<i id="n${index}">`,
      target: [`#n${index}`],
      any: [],
      all: [],
      none: [],
    })),
  };
}

/** Resolves when the condition holds; the test's own time limit ends a wait that is in vain. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** A stand-in for the browser whose scans end when the test says so. */
export function heldRunAxe() {
  const requests: { url: string; signal: AbortSignal; release: (scan?: PageScan) => void }[] = [];
  const runAxe: RunAxe = ({ candidates, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<PageScan>();
    signal.addEventListener('abort', () => reject(signal.reason));
    const url = candidates[0].href;
    requests.push({
      url,
      signal,
      release: (scan = pageScan({ url, finalUrl: url })) => resolve(scan),
    });
    return promise;
  };
  return { runAxe, requests };
}
