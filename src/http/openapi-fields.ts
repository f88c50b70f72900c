import { exampleScanId } from './example-report.ts';

/*
 * The fields of the answers, as the OpenAPI document tells of them. They are set in several places,
 * some before a route is known, so the routes cannot declare them.
 */

interface FieldDescription {
  readonly description: string;
  readonly schema: { readonly type: 'string' | 'integer' };
  readonly example: string | number;
}

const text = (description: string, example: string): FieldDescription => ({
  description,
  schema: { type: 'string' },
  example,
});
const whole = (description: string, example: number): FieldDescription => ({
  description,
  schema: { type: 'integer' },
  example,
});

/** By name; the document refers to them. */
export const fieldDescriptions = {
  RateLimit: text(
    'The limit nearest to its end: requests left (`r`) and seconds until there are more (`t`). Absent when limits are off.',
    '"scan-get";r=9;t=3600',
  ),
  'RateLimit-Policy': text(
    'The limits that apply: requests (`q`) in so many seconds (`w`).',
    '"scan-get";q=10;w=3600, "scan-total";q=100;w=86400',
  ),
  'RateLimit-Limit': whole('Requests allowed by the limit nearest to its end.', 10),
  'RateLimit-Remaining': whole('How many of them are left.', 9),
  'RateLimit-Reset': whole('Seconds until there are more.', 3600),
  'Retry-After': whole('Seconds to wait before asking again.', 2),
  Location: text('Where to poll the scan.', `/api/v1/scan/${exampleScanId}`),
  'Preference-Applied': text('The preference that was followed, when one was sent.', 'wait=10'),
  Deprecation: text('When this endpoint was deprecated (RFC 9745).', '@1795219200'),
  Link: text('What to use instead.', '</api/v1/scan>; rel="successor-version"'),
};
type FieldName = keyof typeof fieldDescriptions;

const rateLimitFields: readonly FieldName[] = [
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/** The fields that an answer may have, its content type apart. */
export function fieldsOf(operationId: string, status: string): readonly FieldName[] {
  if (operationId === 'isAlive') return [];
  if (operationId === 'isReady') return status === '503' ? ['Retry-After'] : [];
  const fields = [...rateLimitFields];
  if (['202', '429', '503'].includes(status)) fields.push('Retry-After');
  if (status === '202') fields.push('Location');
  if (operationId === 'readScan' && status === '200') fields.push('Retry-After');
  if (operationId === 'startScan' && status < '300') fields.push('Preference-Applied');
  if (operationId === 'scanPageLegacy') fields.push('Deprecation', 'Link');
  return fields;
}
