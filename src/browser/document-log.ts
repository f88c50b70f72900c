import type { CDPSession, Protocol } from 'puppeteer';

/** The answer that a document of the main frame was made from. */
export interface DocumentResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** As Chromium took it, sniffing included. */
  readonly mimeType: string;
  readonly headers: Headers;
}

/**
 * Remembers how each document of the main frame was answered, so that the document that is scanned
 * can be judged by its own answer, also after redirects made by scripts. Needs the Network domain.
 */
export class DocumentLog {
  readonly #responses = new Map<string, DocumentResponse>();
  readonly #failures = new Map<string, string>();
  #latest: DocumentResponse | undefined;
  #latestUrl: string | undefined;

  constructor(session: CDPSession, mainFrameId: string) {
    session.on('Network.requestWillBeSent', ({ frameId, type, request }) => {
      if (frameId === mainFrameId && type === 'Document') this.#latestUrl = request.url;
    });
    session.on('Network.responseReceived', ({ frameId, loaderId, type, response }) => {
      if (frameId !== mainFrameId || type !== 'Document') return;
      this.#latest = {
        url: response.url,
        status: response.status,
        statusText: response.statusText,
        mimeType: response.mimeType,
        headers: readHeaders(response.headers),
      };
      this.#responses.set(loaderId, this.#latest);
    });
    session.on('Network.loadingFailed', ({ requestId, type, errorText }) => {
      // The request of a navigation has its loader's id.
      if (type === 'Document') this.#failures.set(requestId, errorText);
    });
  }

  /** Undefined for a document that no server answered, such as `about:blank`. */
  responseOf(loaderId: string): DocumentResponse | undefined {
    return this.#responses.get(loaderId);
  }

  /** Chromium's words for why a document did not load, e.g. `net::ERR_NAME_NOT_RESOLVED`. */
  failureOf(loaderId: string): string | undefined {
    return this.#failures.get(loaderId);
  }

  /** How many documents were answered, redirects not counted. */
  get count(): number {
    return this.#responses.size;
  }

  /** The last answer, even one that made no document (204, a download). */
  get latestResponse(): DocumentResponse | undefined {
    return this.#latest;
  }

  /** What was asked for last, redirects included. */
  get latestUrl(): string | undefined {
    return this.#latestUrl;
  }
}

/** The protocol joins repeated fields with a newline. */
function readHeaders(fields: Protocol.Network.Headers): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of values.split('\n')) {
      try {
        headers.append(name, value);
      } catch {
        // Chromium is laxer than the Fetch standard about what a field may hold.
      }
    }
  }
  return headers;
}
