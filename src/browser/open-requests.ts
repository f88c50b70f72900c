import type { HTTPRequest, Page } from 'puppeteer';

/** A request older than this is taken for a long poll or a dead host. */
const hangingRequestMs = 4_000;
const streamingTypes: ReadonlySet<string> = new Set(['eventsource', 'websocket', 'media', 'ping']);

/** Counts the requests that a page has under way, from its creation on. */
export class OpenRequests {
  readonly #startedAt = new Map<HTTPRequest, number>();
  #lastEndedAt = performance.now();

  constructor(page: Page) {
    page.on('request', (request) => {
      if (!streamingTypes.has(request.resourceType())) {
        this.#startedAt.set(request, performance.now());
      }
    });
    const end = (request: HTTPRequest): void => {
      if (this.#startedAt.delete(request)) this.#lastEndedAt = performance.now();
    };
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    // Those of a document that was left neither finish nor fail.
    page.on('framenavigated', (frame) => {
      const requests = [...this.#startedAt.keys()].filter((request) => request.frame() === frame);
      const latest = requests.findLast((request) => request.isNavigationRequest());
      for (const request of requests) if (request !== latest) end(request);
    });
  }

  /** True while there is none, not even a hanging one. */
  get isIdle(): boolean {
    return this.#startedAt.size === 0;
  }

  /** How long nothing was loading; 0 while something is. */
  quietMs(): number {
    const now = performance.now();
    const loading = [...this.#startedAt.values()].some((at) => now - at < hangingRequestMs);
    return loading ? 0 : now - this.#lastEndedAt;
  }
}
