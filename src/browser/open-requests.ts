import type { CDPSession } from 'puppeteer';

/** A request older than this is taken for a long poll or a dead host. */
const hangingRequestMs = 4_000;
const streamingTypes: ReadonlySet<string> = new Set(['EventSource', 'WebSocket', 'Media', 'Ping']);

interface OpenRequest {
  readonly startedAt: number;
  readonly frameId: string | undefined;
  readonly loaderId: string;
}

/** Counts the requests that a page has under way, from its creation on. */
export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();
  #lastEndedAt = performance.now();

  watch(session: CDPSession): void {
    session.on('Network.requestWillBeSent', ({ requestId, type, frameId, loaderId }) => {
      if (type !== undefined && streamingTypes.has(type)) return;
      this.#requests.set(requestId, { startedAt: performance.now(), frameId, loaderId });
    });
    session.on('Network.loadingFinished', ({ requestId }) => this.#end(requestId));
    session.on('Network.loadingFailed', ({ requestId }) => this.#end(requestId));
    // Those of a document that was left neither finish nor fail.
    session.on('Page.frameNavigated', ({ frame }) => this.#endOf(frame.id, frame.loaderId));
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      if (reason === 'remove') this.#endOf(frameId);
    });
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
      .some(({ startedAt }) => now - startedAt < hangingRequestMs);
    return loading ? 0 : now - this.#lastEndedAt;
  }

  #endOf(frameId: string, exceptLoaderId?: string): void {
    for (const [requestId, request] of this.#requests) {
      if (request.frameId === frameId && request.loaderId !== exceptLoaderId) this.#end(requestId);
    }
  }

  #end(requestId: string): void {
    if (this.#requests.delete(requestId)) this.#lastEndedAt = performance.now();
  }
}
