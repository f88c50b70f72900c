import { type Static, Type } from '@sinclair/typebox';
import { Elysia, ParseError, ValidationError } from 'elysia';
import { DomainError, type DomainErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';

/*
 * Every failure of the API becomes problem details here (RFC 9457), and nowhere else. A code without
 * a row does not compile.
 */

/** What clients may rely on: the status and title of each code. */
export const problemTypes: Readonly<
  Record<DomainErrorCode, { readonly status: number; readonly title: string }>
> = {
  'invalid-url': { status: 400, title: 'The URL cannot be scanned' },
  'invalid-body': { status: 400, title: 'The request body is not the JSON expected' },
  'recursive-scan': { status: 400, title: 'A scan cannot start a scan' },
  'not-found': { status: 404, title: 'There is nothing at this path' },
  'scan-not-found': { status: 404, title: 'There is no such scan' },
  'quota-exceeded': { status: 429, title: 'Too many requests' },
  'dns-not-found': { status: 500, title: 'The host name does not resolve' },
  'connection-refused': { status: 500, title: 'The server refused the connection' },
  'connection-reset': { status: 500, title: 'The server broke off the connection' },
  'connection-timed-out': { status: 500, title: 'The server did not answer in time' },
  'address-unreachable': { status: 500, title: 'The server could not be reached' },
  'tls-failed': { status: 500, title: 'No secure connection could be made' },
  'too-many-redirects': { status: 500, title: 'The page redirects too many times' },
  'too-many-page-requests': { status: 500, title: 'The page makes too many requests' },
  'too-many-connections': { status: 500, title: 'The page opens too many connections' },
  'page-too-large': { status: 500, title: 'The page loads too much' },
  'navigation-failed': { status: 500, title: 'The page could not be loaded' },
  'error-status': { status: 500, title: 'The page answered with an error' },
  'scanner-blocked': { status: 500, title: 'The site blocks automated scanners' },
  'not-html': { status: 500, title: 'The answer is not an HTML page' },
  'page-unresponsive': { status: 500, title: 'The page never became ready' },
  'dom-clobbered': { status: 500, title: 'A form field hides part of its form' },
  'page-unstable': { status: 500, title: 'The page kept going to other pages' },
  'page-crashed': { status: 500, title: 'The page crashed the browser tab' },
  'scan-timed-out': { status: 500, title: 'The scan took too long' },
  'scan-interrupted': { status: 500, title: 'The scan was interrupted twice' },
  'scan-cancelled': { status: 500, title: 'The scan was cancelled' },
  'browser-failed': { status: 500, title: 'The browser failed' },
  'scan-failed': { status: 500, title: 'The scan failed' },
  'internal-error': { status: 500, title: 'This service has a fault' },
  'queue-full': { status: 503, title: 'This service is full' },
  'too-many-waiting': { status: 503, title: 'You have too many scans waiting' },
  'shutting-down': { status: 503, title: 'This service is restarting' },
  'not-ready': { status: 503, title: 'This service cannot scan just now' },
  'storage-unavailable': { status: 503, title: 'This service can’t use its database' },
};

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'A page that says what to do about this kind of problem.' }),
    title: Type.String({ description: 'The kind of problem, in words.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What happened here, and what to do about it.' }),
    instance: Type.String({
      description: 'What the problem is about: a scan, or the path asked for.',
    }),
    code: Type.String({
      description: 'The kind of problem, for programs. Codes never change; new ones may come.',
    }),
    scanId: Type.Optional(Type.String({ description: 'The scan that failed.' })),
  },
  { title: 'Problem', description: 'Problem details (RFC 9457).' },
);
export type Problem = Static<typeof problemSchema>;

/** `path` is what was asked for; a problem with a scan is about the scan instead. */
export function toProblem(error: DomainError, path: string, docsUrl: string): Problem {
  const { scanId } = error.data;
  return {
    type: `${docsUrl}/problems#${error.code}`,
    ...problemTypes[error.code],
    detail: error.message,
    instance: scanId === undefined ? path : `/api/v1/scan/${scanId}`,
    code: error.code,
    ...(scanId === undefined ? {} : { scanId }),
  };
}

/** Answers every error of the app; mount it before the routes, or it does not cover them. */
export function problems({ docsUrl, log }: { docsUrl: string; log: Log }) {
  return new Elysia({ name: 'problems' }).onError(
    { as: 'global' },
    ({ code, error, path, request }) => {
      const domainError = toDomainError(code, error);
      if (domainError === null || domainError.code === 'storage-unavailable')
        log.error('request failed', { method: request.method, path, error });
      const problem = toProblem(domainError ?? internalError, path, docsUrl);
      const retryAfter = domainError?.data.retryAfterSeconds;
      return new Response(JSON.stringify(problem), {
        status: problem.status,
        headers: {
          'content-type': 'application/problem+json',
          ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
        },
      });
    },
  );
}

const internalError = new DomainError(
  'internal-error',
  'This service made a mistake, which has been logged. Try again later.',
);

/** Null for what should not have happened. */
function toDomainError(code: unknown, error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  // Elysia wraps what a body parser throws.
  if (error instanceof ParseError && error.cause instanceof DomainError) return error.cause;
  if (code === 'NOT_FOUND') {
    return new DomainError(
      'not-found',
      'There is nothing at this path and method. See /docs for what there is.',
    );
  }
  // A response that breaks its own schema is a fault of ours.
  if (!(error instanceof ValidationError) || error.type === 'response') return null;
  return error.type === 'query' ? missingUrl : unknownScan;
}

const unknownScan = new DomainError('scan-not-found', 'There is no scan with this id.');

const missingUrl = new DomainError(
  'invalid-url',
  'The query parameter url is missing. Give the address of one page, percent-encoded: ?url=https%3A%2F%2Fexample.com%2F.',
);
