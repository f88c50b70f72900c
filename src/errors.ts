/**
 * Why a scan could not give a report, one code for each thing a user would fix differently.
 * Stored with the failed scan, so a code is never renamed.
 */
export type ScanFailureCode =
  | 'dns-not-found'
  | 'connection-refused'
  | 'connection-reset'
  | 'connection-timed-out'
  | 'address-unreachable'
  | 'tls-failed'
  | 'too-many-redirects'
  | 'too-many-page-requests'
  | 'too-many-connections'
  | 'page-too-large'
  | 'navigation-failed'
  | 'error-status'
  | 'scanner-blocked'
  | 'not-html'
  | 'page-unresponsive'
  | 'page-unstable'
  | 'dom-clobbered'
  | 'page-crashed'
  | 'scan-timed-out'
  | 'scan-interrupted'
  | 'scan-cancelled'
  | 'browser-failed'
  | 'scan-failed';

export type DomainErrorCode =
  | ScanFailureCode
  | 'invalid-url'
  | 'invalid-body'
  | 'recursive-scan'
  | 'not-found'
  | 'scan-not-found'
  | 'quota-exceeded'
  | 'queue-full'
  | 'too-many-waiting'
  | 'shutting-down'
  | 'not-ready'
  | 'storage-unavailable'
  | 'internal-error';

interface DomainErrorData {
  /** The scan that the error speaks of. */
  readonly scanId?: string;
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
}

/** An error whose message is written for the caller of the API; `http/problem.ts` gives it a status. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: DomainErrorCode;
  readonly data: DomainErrorData;

  constructor(
    code: DomainErrorCode,
    message: string,
    options: ErrorOptions & { data?: DomainErrorData } = {},
  ) {
    super(message, options);
    this.code = code;
    this.data = options.data ?? {};
  }
}

/** The scan ended without a report. */
export class ScanFailedError extends DomainError {
  override readonly name = 'ScanFailedError';
  declare readonly code: ScanFailureCode;

  constructor(
    code: ScanFailureCode,
    message: string,
    options?: ConstructorParameters<typeof DomainError>[2],
  ) {
    super(code, message, options);
  }
}

/** The browser process died or hung under a scan: nothing is known about the page, so it may be tried again. */
export class BrowserDiedError extends ScanFailedError {
  constructor(message: string, options?: ErrorOptions) {
    super('browser-failed', message, options);
  }
}
