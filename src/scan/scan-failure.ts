import { ScanFailedError } from '../errors.ts';

/** What a scan that ended with `error` has failed of: what isn't the page's is this service's fault. */
export function failureOf(error: unknown): ScanFailedError {
  if (error instanceof ScanFailedError) return error;
  return new ScanFailedError(
    'scan-failed',
    'The scan failed by a fault of this service. Try again.',
    { cause: error },
  );
}

/** Of a scan that was under way when the service died, again and again. */
export function interrupted(): ScanFailedError {
  return new ScanFailedError(
    'scan-interrupted',
    'This service stopped twice while it scanned the page, so it was not tried again.',
  );
}
