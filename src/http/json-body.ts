import { DomainError } from '../errors.ts';

/** The longest URL, escaped, takes less. */
const maxBytes = 64 * 1024;

/**
 * Reads a JSON body whatever its content type says: `curl -d` calls everything a form.
 * Throws `invalid-body`.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new DomainError(
        'invalid-body',
        `The request body is longer than ${maxBytes / 1024} KiB.`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  try {
    return JSON.parse(text + decoder.decode());
  } catch (cause) {
    throw new DomainError(
      'invalid-body',
      'The request body is not JSON. Send an object, such as {"url": "https://example.com/"}.',
      { cause },
    );
  }
}
