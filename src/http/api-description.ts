import type { RateLimitPolicy } from '../rate-limit/policy.ts';

export interface ApiOptions {
  readonly version: string;
  readonly publicUrl: string;
  readonly docsUrl: string;
  readonly postWaitMs: number;
  readonly policies: Readonly<Record<'get' | 'post' | 'total', RateLimitPolicy | null>>;
}

/** What the OpenAPI document tells of the API as a whole; its texts are Markdown. */
export function describeApi({ version, publicUrl, docsUrl, postWaitMs, policies }: ApiOptions) {
  return {
    info: {
      title: 'Curbcut',
      version,
      summary: 'Scans web pages for accessibility problems.',
      description: `Give it the URL of a public page: it loads the page in headless Chromium, runs axe-core's WCAG 2.1 A and AA rules in it, and answers with a score and the violations. There is no key and no login, and any web page may call it (CORS).

## What is scanned

The page at 1280 × 800 pixels, and all its frames, once it has finished rendering. A bare domain is tried by https and then by http. Only public addresses are scanned, unless the operator has opened others.

## The score

100, less 25 for each critical, 10 for each serious, 5 for each moderate and 2 for each minor violation, and never below 0. A violation is one violated rule, however many elements break it. With 90 or more and nothing critical or serious, \`label\` is \`WCAG AA Verified\`. What axe-core leaves to a person is counted in \`needsReviewCount\` and costs nothing. No automatic check finds every barrier.

## Waiting and polling

\`GET /api/v1/scan\` waits for the report. \`POST /api/v1/scan\` waits ${postWaitMs / 1_000} seconds and then answers 202 with a \`scanId\`; poll \`GET /api/v1/scan/{scanId}\` until \`status\` is \`done\` or \`failed\`. Every answer has a \`scanId\`, under which the report stays.

## Limits

${describePolicies(policies)}

Scans wait in one queue, in which client addresses take turns. Who has too many waiting, and everyone while the queue is full, is answered 503 with the \`Retry-After\` after which there should be room.

## Errors

Problem details (RFC 9457), as \`application/problem+json\`. Programs go by \`code\`; \`type\` leads to [what to do about it](${docsUrl}/problems). A path that does not exist is a 404 with the code \`not-found\`.`,
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Scans', description: 'Start scans, and read what came of them.' },
      { name: 'Legacy', description: 'From before there were versions. It stays available.' },
      { name: 'Operation', description: 'For those who run this service.' },
    ],
  };
}

function describePolicies({ get, post, total }: ApiOptions['policies']): string {
  const parts = [
    get && `${get.quota} \`GET\`s ${windowOf(get)}`,
    post && `${post.quota} \`POST\`s ${windowOf(post)}`,
    total && `${total.quota} requests that start a scan, of whatever kind, ${windowOf(total)}`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return 'This service has none.';
  return `For each client address: ${parts.join('; ')}. Polls are free, and so are answers with 429 and 503. Every answer says what is left.`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

function windowOf({ windowSeconds }: RateLimitPolicy): string {
  const [name, seconds] = units.find((unit) => windowSeconds % unit[1] === 0) ?? units[3];
  const count = windowSeconds / seconds;
  return count === 1 ? `in any ${name}` : `in any ${count} ${name}s`;
}
