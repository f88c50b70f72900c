import { Connection } from './connection.ts';

/*
 * A process of its own: sends the requests of a plan, which it takes as JSON, and prints as JSON how
 * they were answered.
 */

export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  /** How long, or until so many are answered. */
  readonly forMs: number;
  readonly count?: number;
  /** Sent at this rate, however slow the answers are; unset, the next follows each answer. */
  readonly perSecond?: number;
  readonly method: 'GET' | 'POST';
  /** Taken in turn. `{n}` is a number that no other request has, there and in the body. */
  readonly paths: readonly string[];
  readonly body?: string;
  /** For whom a proxy would say that the requests are; `{n}` makes each that of another client. */
  readonly forwardedFor?: string;
  /** Only answers with this status are timed, where it is told. */
  readonly timedStatus?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const plan = (await Bun.stdin.json()) as LoadPlan;
const firstNumber = Math.trunc(Math.random() * 2 ** 32);
const startedAt = performance.now();
const latencies: number[] = [];
const statuses: Record<string, number> = {};
let sent = 0;

function requestOf(index: number): string {
  const number = (firstNumber + index).toString(16);
  const fill = (text = ''): string => text.replaceAll('{n}', number);
  const body = fill(plan.body);
  const lines = [
    `${plan.method} ${fill(plan.paths[index % plan.paths.length])} HTTP/1.1`,
    'Host: localhost',
    ...(plan.forwardedFor === undefined ? [] : [`X-Forwarded-For: ${clientOf(index)}`]),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The number as a network of its own. */
function clientOf(index: number): string {
  const groups = (firstNumber + index)
    .toString(16)
    .padStart(9, '0')
    .replace(/(?=.{4}$)/, ':');
  return (plan.forwardedFor ?? '').replaceAll('{n}', groups.replace(/^\w/, ''));
}

/** When the next request is due; null when there is none any more. */
function nextDue(): number | null {
  if (sent === plan.count) return null;
  const dueMs =
    plan.perSecond === undefined ? performance.now() - startedAt : (sent * 1_000) / plan.perSecond;
  return dueMs < plan.forMs ? startedAt + dueMs : null;
}

async function sendAll(): Promise<void> {
  const connection = await Connection.open(plan.port);
  for (let dueAt = nextDue(); dueAt !== null; dueAt = nextDue()) {
    const request = requestOf(sent);
    sent += 1;
    const earlyMs = dueAt - performance.now();
    if (earlyMs > 0) await Bun.sleep(earlyMs);
    // Who waits for a connection waits for the service; a timer that is late is not its fault.
    const from = earlyMs > 0 ? performance.now() : dueAt;
    const status = await connection.send(request);
    if (status === (plan.timedStatus ?? status)) latencies.push(performance.now() - from);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  connection.close();
}

await Promise.all(Array.from({ length: plan.connections }, sendAll));
const seconds = (performance.now() - startedAt) / 1_000;
const sorted = latencies.toSorted((a, b) => a - b);
const quantile = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? NaN;
const result: LoadResult = {
  perSecond: sent / seconds,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  statuses,
};
console.log(JSON.stringify(result));
