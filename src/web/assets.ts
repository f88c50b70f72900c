import { gzip } from 'node:zlib';
import { promisify } from 'node:util';

/** A file that the pages load. */
export interface Asset {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly gzippedBody: Uint8Array<ArrayBuffer>;
  /** Changes with the content. */
  readonly etag: string;
}

const gzipAsync = promisify(gzip);

const own = (name: string): URL => new URL(`./assets/${name}`, import.meta.url);
/** Everything below /docs/assets. */
const sources = new Map<string, string | URL>([
  ['icon.svg', own('icon.svg')],
  ['page.css', own('page.css')],
  ['reference.css', own('reference.css')],
  ['reference.js', own('reference.js')],
  ['swagger-ui.css', import.meta.resolve('swagger-ui-dist/swagger-ui.css')],
  ['swagger-ui-bundle.js', import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')],
]);

/** Reads a file at the first request for it, and compresses it once. */
export function createAssets() {
  const loaded = new Map<string, Promise<Asset>>();
  return {
    /** Undefined when there is no such file. */
    find(name: string): Promise<Asset> | undefined {
      const source = sources.get(name);
      if (source === undefined) return undefined;
      const asset = loaded.get(name) ?? load(new URL(source));
      loaded.set(name, asset);
      return asset;
    },
  };
}

async function load(source: URL): Promise<Asset> {
  const file = Bun.file(source);
  const body = await file.bytes();
  return {
    contentType: file.type,
    body,
    gzippedBody: new Uint8Array(await gzipAsync(body)),
    // Weak, since it stands for the compressed form too.
    etag: `W/"${Bun.hash(body).toString(36)}"`,
  };
}
