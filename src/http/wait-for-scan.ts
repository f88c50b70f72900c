import type { Server } from 'bun';
import { DomainError } from '../errors.ts';
import type { ScanQueue } from '../scan/queue.ts';
import type { Scan, ScanService } from '../scan/service.ts';
import type { ClientKey } from './client-key.ts';

/** For all that Bun waits for but the head of a request, for which it gives ten seconds. */
export const idleTimeoutSeconds = 30;

/** Scans `url` for the client behind the request, and waits `waitMs` at most or until it hangs up. */
export type WaitForScan = (
  url: string,
  waitMs: number,
  context: { request: Request; server: Server<unknown> | null },
) => Promise<Scan>;

/**
 * Requests that wait for scans of others take no place of the queue, so they have a bound of their
 * own: one client may have as many open as all scans that run and wait.
 */
export function createWaitForScan({
  service,
  queue,
  clientKey,
}: {
  service: ScanService;
  queue: ScanQueue;
  clientKey: ClientKey;
}): WaitForScan {
  const open = new Map<string, number>();
  return async (url, waitMs, { request, server }) => {
    assertNoScan(request);
    const client = clientKey(request, server);
    const others = open.get(client) ?? 0;
    if (waitMs > 0 && others >= queue.capacity) {
      throw new DomainError(
        'too-many-waiting',
        `Your address has as many requests waiting for reports as it may: ${others}. Start scans with "async": true and poll them, or try again later.`,
        { data: { retryAfterSeconds: queue.secondsUntilStarts(1) } },
      );
    }
    open.set(client, others + 1);
    // Bun closes connections that stay silent; this one does on purpose.
    server?.timeout(request, 0);
    try {
      return await service.scan(url, waitMs, request.signal, client);
    } finally {
      // Or the connection might stay open for ever after the answer.
      server?.timeout(request, idleTimeoutSeconds);
      const left = (open.get(client) ?? 0) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    }
  };
}

/** How the browser of this service, or of another of its kind, names itself behind Chrome's User-Agent. */
const scannerToken = /\bCurbcut\/\S+ \(\+/;

/** A page that embeds this API would have it scan in a circle. */
function assertNoScan(request: Request): void {
  if (!scannerToken.test(request.headers.get('user-agent') ?? '')) return;
  throw new DomainError(
    'recursive-scan',
    'This request comes, by its User-Agent, from a page that is being scanned. A scan can’t start another.',
  );
}
