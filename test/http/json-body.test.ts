import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { DomainError } from '../../src/errors.ts';
import { readJsonBody } from '../../src/http/json-body.ts';

const schema = Type.Object({ url: Type.String(), async: Type.Optional(Type.Boolean()) });

/** What becomes of a body that arrives in these pieces: the fields read, or the code. */
async function read(...chunks: readonly (string | Uint8Array)[]): Promise<unknown> {
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      }
      controller.close();
    },
  });
  const request = new Request('http://localhost/', { method: 'POST', body });
  return readJsonBody(request, schema).catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  });
}

const url = 'https://example.com/';

test.each([
  [65_536, { url }],
  [65_537, 'invalid-body'],
])('a body may have 64 KiB: %d bytes', async (bytes, outcome) => {
  const body = JSON.stringify({ url }).padEnd(bytes);
  expect(await read(body)).toEqual(outcome);
  expect(await read(body.slice(0, 40_000), body.slice(40_000))).toEqual(outcome);
});

test('a body that is too long is not read to its end', async () => {
  let pulls = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      pulls += 1;
      controller.enqueue(new Uint8Array(32_768));
    },
  });
  const request = new Request('http://localhost/', { method: 'POST', body });
  const error = await readJsonBody(request, schema).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'invalid-body' });
  expect(pulls).toBeLessThan(10);
});

test('a body that breaks off is the fault of its sender', async () => {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"url":'));
    },
    pull: (controller) => controller.error(new Error('The connection was closed.')),
  });
  const request = new Request('http://localhost/', { method: 'POST', body });
  const error = await readJsonBody(request, schema).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'invalid-body',
    message:
      'The request body is cut off. Send an object, such as {"url": "https://example.com/"}.',
  });
});

test('of a field that comes twice the last is taken, wherever the pieces end', async () => {
  const body = `{"url":"https://first.example/","url":"${url}"}`;
  for (let end = 0; end <= body.length; end += 1) {
    expect(await read(body.slice(0, end), body.slice(end))).toEqual({ url });
  }
});

test('characters of several bytes may be cut anywhere', async () => {
  const bytes = new TextEncoder().encode('{"url":"bücher.例え.\u{1f600}"}');
  for (let end = 0; end <= bytes.length; end += 1) {
    expect(await read(bytes.slice(0, end), bytes.slice(end))).toEqual({ url: 'bücher.例え.😀' });
  }
});

const awkwardKey = fc.constantFrom(
  'url',
  'async',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'length',
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1e308, '', url, '\0', '\u202e'),
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(awkwardKey, fc.string()), tie('value')), { maxLength: 5 })
    // An object with a field of this name can be written, and not made by assignment.
    .map((fields) => Object.fromEntries(fields)),
}));

test('whatever JSON comes, it is the fields expected or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(anyValue, async (value) => {
      const text = JSON.stringify(value) ?? 'null';
      const outcome = await read(text);
      const given: unknown = JSON.parse(text);
      const field = (name: string): unknown =>
        typeof given === 'object' && given !== null && Object.hasOwn(given, name)
          ? Object.getOwnPropertyDescriptor(given, name)?.value
          : undefined;
      if (typeof outcome === 'string') {
        const isExpected =
          !Array.isArray(given) &&
          typeof field('url') === 'string' &&
          ['boolean', 'undefined'].includes(typeof field('async'));
        expect([outcome, isExpected]).toEqual([
          expect.stringMatching(/^invalid-(body|url)$/),
          false,
        ]);
      } else {
        const async = field('async');
        expect(outcome).toEqual({ url: field('url'), ...(async === undefined ? {} : { async }) });
      }
    }),
    { numRuns: 1_000 },
  );
});

test('whatever bytes come, in whatever pieces, the outcome is the same and no surprise', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(`{"url":"${text}"}`)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat({ max: 60 }), async (body, at) => {
      const outcome = await read(body);
      if (typeof outcome === 'string') expect(outcome).toMatch(/^invalid-(body|url)$/);
      else expect(outcome).toEqual({ url: expect.any(String) });
      expect(await read(body.slice(0, at), body.slice(at))).toEqual(outcome);
    }),
    { numRuns: 1_000 },
  );
});
