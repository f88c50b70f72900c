import type { Static, TObject } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';
import { DomainError } from '../errors.ts';

/** The longest URL, escaped, takes less. */
const maxBytes = 64 * 1024;

/**
 * Reads the fields of the schema from a JSON object, whatever its content type says: `curl -d` calls
 * everything a form. Throws `invalid-body`, and `invalid-url` when that field is what breaks the schema.
 */
export async function readJsonBody<T extends TObject>(
  request: Request,
  schema: T,
): Promise<Static<T>> {
  const value = parseJson(await readText(request));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notExpected('not a JSON object');
  }
  const body = Object.fromEntries(
    Object.entries(value).filter(([name]) => Object.hasOwn(schema.properties, name)),
  );
  // Not left to Elysia, which makes a text of what it refuses, and fails where that can't be one.
  if (Value.Check(schema, body)) return body;
  throw breaksSchema(Value.Errors(schema, body).First());
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    throw notExpected('cut off', cause);
  }
  if (bytes > maxBytes) throw notExpected(`longer than ${maxBytes / 1024} KiB`);
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notExpected('not JSON', cause);
  }
}

function notExpected(what: string, cause?: unknown): DomainError {
  return new DomainError(
    'invalid-body',
    `The request body is ${what}. Send an object, such as {"url": "https://example.com/"}.`,
    { cause },
  );
}

function breaksSchema(error: ValueError | undefined): DomainError {
  if (error?.path === '/url') {
    return new DomainError(
      'invalid-url',
      'url must be a string, such as {"url": "https://example.com/"}.',
    );
  }
  return new DomainError('invalid-body', `${error?.path.slice(1)}: ${error?.message}.`);
}
