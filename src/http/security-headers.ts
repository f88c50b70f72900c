import { Elysia } from 'elysia';

/**
 * Sets on every answer, whoever gives it, what browsers may not do with it; mount first. A page
 * replaces the policy, which forbids everything, by its own.
 */
export function securityHeaders({ publicUrl }: { publicUrl: string }) {
  const headers = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    // The API is for pages of any origin, and there is nothing here that only some may see.
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // Of this host only: others below its domain are not ours to promise for.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
  return new Elysia({ name: 'security-headers' }).headers(headers);
}

/** What a page of the documentation may load, and where it may send requests. */
export function pagePolicy(apiOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Swagger UI's icons are data: URLs.
    "img-src 'self' data:",
    `connect-src 'self' ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
