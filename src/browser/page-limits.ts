import type { CDPSession } from 'puppeteer';
import { ScanFailedError } from '../errors.ts';

/** Far above what pages for people need. */
const maxRequests = 3_000;
/** Of all URLs together, in characters: they are told to this process, which would have to hold them. */
const maxUrlsLength = 20_000_000;
/** Redirects and whole documents alike; Chromium itself follows 20 redirects in a row. */
const maxNavigations = 40;

/** Counts what a page asks for and where it goes. */
export class PageLimits {
  /** Rejects with `ScanFailedError` when the page asks for too much, or keeps going elsewhere. */
  readonly exceeded: Promise<never>;
  readonly #exceed: (error: ScanFailedError) => void;
  readonly #mainFrameId: string;
  #requests = 0;
  #navigations = 0;
  #urlsLength = 0;

  constructor(mainFrameId: string) {
    const { promise, reject } = Promise.withResolvers<never>();
    // The page outlives a scan that ended otherwise.
    promise.catch(() => {});
    this.exceeded = promise;
    this.#exceed = reject;
    this.#mainFrameId = mainFrameId;
  }

  watch(session: CDPSession): void {
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, request }) => {
      this.#requests += 1;
      if (this.#requests > maxRequests) this.#exceed(tooManyRequests);
      this.#urlsLength += request.url.length;
      if (this.#urlsLength > maxUrlsLength) this.#exceed(urlsTooLong);
      // The request of a navigation has its loader's id.
      if (frameId !== this.#mainFrameId || requestId !== loaderId) return;
      this.#navigations += 1;
      if (this.#navigations > maxNavigations) this.#exceed(tooManyRedirects);
    });
  }
}

const tooManyRequests = new ScanFailedError(
  'too-many-page-requests',
  `The page made more than ${maxRequests} requests, so it was not scanned. Look for a script that loads something over and over.`,
);
const tooManyRedirects = new ScanFailedError(
  'too-many-redirects',
  `The page went to another address more than ${maxNavigations} times. Scan the page it should end on.`,
);
const urlsTooLong = new ScanFailedError(
  'page-too-large',
  'The page asks for URLs of more than 20 MB in all, so it was not scanned. Look for images or requests that carry their data in the URL.',
);
