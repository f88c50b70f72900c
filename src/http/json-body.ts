import { DomainError } from '../errors.ts';

/** The longest URL, escaped, takes less. */
const maxBytes = 64 * 1024;

/**
 * Reads a JSON object whatever its content type says: `curl -d` calls everything a form.
 * Throws `invalid-body`.
 */
export async function readJsonBody(request: Request): Promise<object> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw notExpected(`longer than ${maxBytes / 1024} KiB`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  const value = parseJson(text + decoder.decode());
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw notExpected('not a JSON object');
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
