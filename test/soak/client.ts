import type { Outcome } from './pages.ts';
import type { Random } from '../support/random.ts';

/** What became of a request for a scan, as its client was told. */
export interface Told {
  /** Null for a client that hung up. */
  readonly scanId: string | null;
  readonly outcome: Outcome | null;
}

const pollMs = 200;
const longestPatienceMs = 1_500;

/** Asks for a scan in one of the ways that there are, and follows it to its end. */
export async function askForScan(
  service: string,
  url: string,
  address: string,
  random: Random,
): Promise<Told> {
  // A connection that is kept would be open when they are counted.
  const headers = { 'x-forwarded-for': address, connection: 'close' };
  const query = `${service}/api/v1/scan?url=${encodeURIComponent(url)}`;
  const way = random();
  if (way < 0.1) {
    const signal = AbortSignal.timeout(longestPatienceMs * random());
    const answer = await fetch(query, { headers, signal }).then(read, () => null);
    return answer ?? { scanId: null, outcome: null };
  }
  if (way < 0.4) return read(await fetch(query, { headers }));
  const body = JSON.stringify({ url, ...(way < 0.8 ? { async: true } : {}) });
  let told = await read(await fetch(`${service}/api/v1/scan`, { method: 'POST', headers, body }));
  while (told.outcome === null) {
    await Bun.sleep(pollMs);
    told = await read(await fetch(`${service}/api/v1/scan/${told.scanId}`, { headers }));
  }
  return told;
}

async function read(response: Response): Promise<Told> {
  const body = await response.json();
  if (typeof body.scanId !== 'string') {
    throw new Error(`the service accepted no scan: ${response.status} ${JSON.stringify(body)}`);
  }
  const code = body.code ?? body.error?.code;
  return { scanId: body.scanId, outcome: body.status === 'done' ? 'done' : (code ?? null) };
}
