import { expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Value } from '@sinclair/typebox/value';
import { exampleLegacyReport, exampleReport } from '../../src/http/example-report.ts';
import { problemSchema, problemTypes } from '../../src/http/problem.ts';
import { legacyReportBodySchema, reportBodySchema } from '../../src/http/report-body.ts';
import { createTestApp, heldRunAxe, until } from '../support/test-app.ts';

interface Operation {
  operationId: string;
  responses: Record<
    string,
    {
      description: string;
      headers: Record<string, unknown>;
      content: Record<
        string,
        { schema: unknown; example?: unknown; examples?: Record<string, { value: unknown }> }
      >;
    }
  >;
}
interface ApiDocument {
  openapi: string;
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, object> }> };
}

async function readDocument(environment: Record<string, string> = {}): Promise<ApiDocument> {
  await using app = await createTestApp({ environment });
  const response = await app.get('/openapi.json');
  expect(response.headers.get('content-type')).toBe('application/json');
  return response.json();
}

const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      ...operation,
    })),
  );

test('the document is valid OpenAPI 3.1', async () => {
  const document = await readDocument();
  expect(document.openapi).toStartWith('3.1.');
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  // Elysia's own mark.
  expect(JSON.stringify(document)).not.toContain('noValidate');
});

test('the document has every route of the API with all its statuses, and no other', async () => {
  const routes = operationsOf(await readDocument()).map(({ route, responses }) => [
    route,
    Object.keys(responses).join(' '),
  ]);
  expect(Object.fromEntries(routes)).toEqual({
    'GET /api/v1/scan': '200 400 429 500 503',
    'POST /api/v1/scan': '200 202 400 429 500 503',
    'GET /api/v1/scan/{scanId}': '200 404 500 503',
    'GET /api/public-scan': '200 400 429 500 503',
    'GET /livez': '200',
    'GET /readyz': '200 503',
  });
});

test('every error answer is problem details with an example, and names codes of its status only', async () => {
  const named = new Set<string>();
  for (const { route, responses } of operationsOf(await readDocument())) {
    for (const [status, { description, content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect([route, Object.keys(content)]).toEqual([route, ['application/problem+json']]);
      const { schema, example, examples } = content['application/problem+json'] ?? {};
      expect(schema).toEqual({ $ref: '#/components/schemas/Problem' });
      const problems = examples ? Object.values(examples).map(({ value }) => value) : [example];
      for (const problem of problems) {
        expect(Value.Check(problemSchema, problem)).toBe(true);
        expect(problem).toMatchObject({ status: Number(status) });
      }
      const codes = [...description.matchAll(/^- `([^`]+)`/gm)].map(([, code]) => code ?? '');
      expect(codes).not.toBeEmpty();
      const types = new Map(Object.entries(problemTypes));
      for (const code of codes) expect(types.get(code)?.status).toBe(Number(status));
      for (const code of codes) named.add(code);
    }
  }
  expect(Object.keys(problemTypes).filter((code) => !named.has(code))).toEqual(['not-found']);
});

test('every field of every schema has a description', async () => {
  const { components } = await readDocument();
  const without = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, field]) => !('description' in field) && !('$ref' in field))
      .map(([field]) => `${name}.${field}`),
  );
  expect(without).toEqual([]);
  expect(Object.keys(components.schemas).toSorted()).toEqual([
    'Engine',
    'FailedScan',
    'LegacyReport',
    'LegacyViolation',
    'Problem',
    'Report',
    'ScanRecord',
    'ScanRequest',
    'Summary',
    'UnfinishedScan',
    'Violation',
  ]);
});

test('fields with few values list them, null among them', async () => {
  const { Report, Violation } = (await readDocument()).components.schemas;
  expect(Report?.properties?.['label']).toMatchObject({ enum: ['WCAG AA Verified', null] });
  expect(Violation?.properties?.['impact']).toEqual({
    type: 'string',
    enum: ['critical', 'serious', 'moderate', 'minor'],
    description: expect.any(String),
  });
});

test('the reports shown are ones that the API could answer with', () => {
  expect(Value.Check(reportBodySchema, exampleReport)).toBe(true);
  expect(Value.Check(legacyReportBodySchema, exampleLegacyReport)).toBe(true);
});

test('answers carry the fields that the document says', async () => {
  const { runAxe, requests } = heldRunAxe();
  await using app = await createTestApp({
    runAxe,
    environment: { SCAN_CONCURRENCY: '1', MAX_WAITING: '0', RATE_LIMIT_TOTAL: '4/1h' },
  });
  const document: ApiDocument = await (await app.get('/openapi.json')).json();
  const expectFields = (operationId: string, response: Response) => {
    const operation = operationsOf(document).find((it) => it.operationId === operationId);
    const { headers = {} } = operation?.responses[response.status] ?? {};
    expect(Object.keys(headers).filter((name) => !response.headers.has(name))).toEqual([]);
    expect(headers).not.toBeEmpty();
  };

  const started = await app.post({ url: 'https://example.com/' }, { prefer: 'respond-async' });
  expect(started.status).toBe(202);
  expectFields('startScan', started);
  expectFields('readScan', await app.get(started.headers.get('location') ?? ''));
  expectFields('scanPage', await app.get('/api/v1/scan'));
  const full = await app.get('/api/public-scan?url=other.example.com');
  expect(full.status).toBe(503);
  expectFields('scanPageLegacy', full);
  const joined = app.post({ url: 'https://example.com/' }, { prefer: 'wait=9' });
  await until(() => requests.length > 0);
  requests[0]?.release();
  expectFields('startScan', await joined);
  expectFields('scanPageLegacy', await app.get('/api/public-scan?url=ftp%3A%2F%2Fexample.com'));
  const refused = await app.get('/api/v1/scan?url=example.com');
  expect(refused.status).toBe(429);
  expectFields('scanPage', refused);
});

test('the limits and waits in the text are those of this installation', async () => {
  const text = (document: ApiDocument) => document.info.description;
  expect(text(await readDocument())).toContain(
    '10 `GET`s in any hour; 100 `POST`s in any day; 100 requests that start a scan, of whatever kind, in any day',
  );
  const environment = { RATE_LIMIT_POST: '7/90m', RATE_LIMIT_GET: 'off', POST_WAIT_SECONDS: '3' };
  const own = text(await readDocument(environment));
  expect(own).toContain('For each client address: 7 `POST`s in any 90 minutes;');
  expect(own).toContain('waits 3 seconds');
  const off = { RATE_LIMIT_POST: 'off', RATE_LIMIT_GET: 'off', RATE_LIMIT_TOTAL: 'off' };
  expect(text(await readDocument(off))).toContain('This service has none.');
});

test('the root leads to the reference', async () => {
  await using app = await createTestApp();
  const response = await app.get('/');
  expect(response.status).toBe(302);
  expect(new URL(response.headers.get('location') ?? '', 'http://localhost/').pathname).toBe(
    '/docs',
  );
});

test.each(['/docs', '/docs/problems'])('%s and all it loads come from here', async (path) => {
  await using app = await createTestApp({ environment: { PUBLIC_URL: 'https://scan.example' } });
  const response = await app.get(path);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https://scan.example; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const page = await response.text();
  expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/);
  expect(page).toMatch(/<title>[^<]+ – Curbcut<\/title>/);
  expect(page).toContain('name="viewport"');
  const links = [...page.matchAll(/\b(?:src|href|data-document)="([^"#]+)"/g)];
  expect(links.length).toBeGreaterThan(4);
  for (const [, link = ''] of links) {
    expect(link).not.toContain(':');
    const { pathname } = new URL(link, `http://localhost${path}`);
    expect([pathname, (await app.get(pathname)).status]).toEqual([pathname, 200]);
  }
});

test.each([
  ['icon.svg', 'image/svg+xml'],
  ['page.css', 'text/css;charset=utf-8'],
  ['reference.js', 'text/javascript;charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript;charset=utf-8'],
])('%s comes as %s, compressed for those who can, and only once', async (name, type) => {
  await using app = await createTestApp();
  const path = `/docs/assets/${name}`;
  const plain = await app.get(path);
  expect(plain.headers.get('content-type')).toBe(type);
  expect(plain.headers.has('content-encoding')).toBe(false);
  const small = await app.get(path, { 'accept-encoding': 'br, gzip' });
  expect(small.headers.get('content-encoding')).toBe('gzip');
  expect(Bun.gunzipSync(await small.bytes())).toEqual(await plain.bytes());
  const etag = plain.headers.get('etag') ?? '';
  expect((await app.get(path, { 'if-none-match': etag })).status).toBe(304);
});

test.each(['/docs/assets/package.json', '/docs/assets/..%2Fhtml.ts', '/docs/assets/'])(
  '%s is a 404',
  async (path) => {
    await using app = await createTestApp();
    expect((await app.get(path)).status).toBe(404);
  },
);

test('a browser that asks for /favicon.ico gets the icon', async () => {
  await using app = await createTestApp();
  const response = await app.get('/favicon.ico');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
});

test('every code has a place on the problems page, where its type leads', async () => {
  await using app = await createTestApp();
  const page = await (await app.get('/docs/problems')).text();
  for (const [code, { title }] of Object.entries(problemTypes)) {
    expect(page).toContain(`id="${code}"`);
    expect(page).toContain(`>${title} <code>${code}</code>`);
  }
  const problem = await (await app.get('/api/v1/scan')).json();
  const type = new URL(problem.type);
  expect(type.pathname).toBe('/docs/problems');
  expect(page).toContain(`id="${type.hash.slice(1)}"`);
});
