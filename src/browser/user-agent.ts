import type { ChromiumBinary } from './find-chromium.ts';

/** Chrome's reduced User-Agent (https://www.chromium.org/updates/ua-reduction/) and our token. */
export function userAgentOf(binary: ChromiumBinary, productToken: string): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorVersionOf(binary)}.0.0.0 Safari/537.36 ${productToken}`;
}

export function majorVersionOf({ version }: ChromiumBinary): string {
  return version.split('.')[0] ?? '';
}
