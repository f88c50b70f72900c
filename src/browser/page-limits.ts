import type { Page } from 'puppeteer';
import { ScanFailedError } from '../errors.ts';

/** Far above what pages for people need. */
const maxRequests = 3_000;
/** Of all URLs together, in characters: they are told to this process, which would have to hold them. */
const maxUrlsLength = 20_000_000;
/** Redirects and whole documents alike; Chromium itself follows 20 redirects in a row. */
const maxNavigations = 40;

/** Rejects with `ScanFailedError` when the page asks for too much, or keeps going elsewhere. */
export function watchPageLimits(page: Page): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // The page outlives a scan that ended otherwise.
  promise.catch(() => {});
  let requests = 0;
  let navigations = 0;
  let urlsLength = 0;
  page.on('request', (request) => {
    requests += 1;
    if (requests > maxRequests) reject(tooManyRequests);
    urlsLength += request.url().length;
    if (urlsLength > maxUrlsLength) reject(urlsTooLong);
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    navigations += 1;
    if (navigations > maxNavigations) reject(tooManyRedirects);
  });
  return promise;
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
