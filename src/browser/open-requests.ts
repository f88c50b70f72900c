import type { CDPSession } from 'puppeteer';

/** A request older than this is taken for a long poll or a dead host. */
const hangingRequestMs = 4_000;
/**
 * Of a shared worker's script, and of one whose worker is ended before it has come, nobody is told the
 * end. Those of other workers have mostly come by then.
 */
const hangingWorkerScriptMs = 1_000;
const streamingTypes: ReadonlySet<string> = new Set(['EventSource', 'WebSocket', 'Media', 'Ping']);

interface OpenRequest {
  readonly startedAt: number;
  readonly frameId: string | undefined;
  readonly loaderId: string;
  readonly sessionId: string;
  /** After which it is not waited for. */
  readonly hangsAfterMs: number;
}

/** Counts the requests that a page has under way, from its creation on. */
export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();
  #lastEndedAt = performance.now();

  watch(session: CDPSession): void {
    const sessionId = session.id();
    session.on('Network.requestWillBeSent', ({ requestId, type, frameId, loaderId, request }) => {
      if (type !== undefined && streamingTypes.has(type)) return;
      // Meant for the page that a visitor may go to next.
      if (request.headers['Sec-Purpose']?.startsWith('prefetch')) return;
      const isWorkerScript = loaderId === '' && frameId !== undefined;
      // From a blob or a data URL it comes at once.
      if (isWorkerScript && !request.url.startsWith('http')) return;
      const hangsAfterMs = isWorkerScript ? hangingWorkerScriptMs : hangingRequestMs;
      const startedAt = performance.now();
      this.#requests.set(requestId, { startedAt, frameId, loaderId, sessionId, hangsAfterMs });
    });
    session.on('Network.loadingFinished', ({ requestId }) => this.#end(requestId));
    session.on('Network.loadingFailed', ({ requestId }) => this.#end(requestId));
    // Those of a document that was left neither finish nor fail.
    session.on('Page.frameNavigated', ({ frame: { id, loaderId } }) =>
      this.#endAll((request) => request.frameId === id && request.loaderId !== loaderId),
    );
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      if (reason === 'remove') this.#endAll((request) => request.frameId === frameId);
    });
    // Nor do those of a worker that has ended, which belong to no frame.
    session.on('Target.detachedFromTarget', (ended) =>
      this.#endAll(
        (request) => request.frameId === undefined && request.sessionId === ended.sessionId,
      ),
    );
  }

  /** True while there is none, not even a hanging one. */
  get isIdle(): boolean {
    return this.#requests.size === 0;
  }

  /** How long nothing was loading; 0 while something is. */
  quietMs(): number {
    const now = performance.now();
    const loading = this.#requests
      .values()
      .some(({ startedAt, hangsAfterMs }) => now - startedAt < hangsAfterMs);
    return loading ? 0 : now - this.#lastEndedAt;
  }

  #endAll(isEnded: (request: OpenRequest) => boolean): void {
    for (const [requestId, request] of this.#requests) {
      if (isEnded(request)) this.#end(requestId);
    }
  }

  #end(requestId: string): void {
    if (this.#requests.delete(requestId)) this.#lastEndedAt = performance.now();
  }
}
