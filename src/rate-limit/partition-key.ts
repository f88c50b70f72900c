import { createHmac } from 'node:crypto';

/**
 * The name under which a client's requests are counted and stored.
 *
 * Keyed, because the few billion addresses there are could be hashed and compared in minutes.
 */
export function derivePartitionKey(secret: Uint8Array, client: string): string {
  return createHmac('sha256', secret).update(client).digest('base64url');
}
