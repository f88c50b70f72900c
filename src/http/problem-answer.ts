import { DomainError, type DomainErrorCode } from '../errors.ts';
import { exampleScanId } from './example-report.ts';
import { problemSchema, problemTypes, toProblem } from './problem.ts';

/** As they are sent: one at least for each status. */
export const exampleProblems = [
  example('invalid-url', '“ftp:” is not a scheme that can be scanned. Use http or https.'),
  example(
    'invalid-body',
    'The request body is not JSON. Send an object, such as {"url": "https://example.com/"}.',
  ),
  example(
    'scan-not-found',
    'There is no scan with this id. It may have been deleted because of its age: start a new one.',
    { path: `/api/v1/scan/${exampleScanId}` },
  ),
  example(
    'quota-exceeded',
    'Your address has used up its scans (10 in 3600 seconds). Try again in 1260 seconds, or run your own copy of this service without limits.',
  ),
  example(
    'dns-not-found',
    'https://www.example.invalid/ could not be loaded: its name does not resolve. Check its spelling and its DNS records.',
    { scanId: exampleScanId },
  ),
  example(
    'error-status',
    'https://example.com/nope answered 404 Not Found, so there is no page to scan. Check the address.',
    { scanId: exampleScanId },
  ),
  example('internal-error', 'This service made a mistake, which has been logged. Try again later.'),
  example(
    'queue-full',
    'All scanners are busy: 16 scans are running and 100 are waiting. Try again later.',
  ),
  example(
    'too-many-waiting',
    'Your address has its share of the waiting scans: 50 of at most 100 in all. Try again later.',
  ),
  example('shutting-down', 'This service is restarting. Try again in a few seconds.'),
  example('not-ready', 'The database could not be written: database or disk is full.', {
    path: '/readyz',
  }),
  example(
    'storage-unavailable',
    'This service can’t use its database at the moment. Try again in ten seconds.',
  ),
];

/**
 * What a route declares for an error status: the codes that its `code` may have, all codes of the
 * status unless told otherwise. Errors are thrown, so nothing is checked against it.
 */
export function problemAnswer(status: number, codes?: readonly DomainErrorCode[]) {
  const possible = Object.entries(problemTypes).filter(
    ([code, type]) => type.status === status && (codes?.some((it) => it === code) ?? true),
  );
  const list = possible.map(([code, { title }]) => `- \`${code}\`: ${title}`).join('\n');
  return {
    ...problemSchema,
    description: `Problem details. \`code\` says what is wrong:\n\n${list}`,
    examples: exampleProblems.filter((problem) => possible.some(([code]) => code === problem.code)),
  };
}

/** The answers that any request for a scan may get. */
export const scanProblemAnswers = {
  429: problemAnswer(429),
  500: problemAnswer(500),
  503: problemAnswer(503, [
    'queue-full',
    'too-many-waiting',
    'storage-unavailable',
    'shutting-down',
  ]),
};

function example(
  code: DomainErrorCode,
  detail: string,
  { path = '/api/v1/scan', scanId }: { path?: string; scanId?: string } = {},
) {
  const data = scanId === undefined ? {} : { scanId };
  return toProblem(new DomainError(code, detail, { data }), path, 'https://curbcut.example/docs');
}
