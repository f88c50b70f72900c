import { htmlResponse } from '../../support/page-server.ts';
import { style } from './content.ts';
import { frameContent, lateContent, lateScript } from './documents.ts';
import { type BenchPage, fileOf, seedOf, sources } from './page-set.ts';

/** At once, or each response after a time of its own: two in a row make 500 to 1,500 ms. */
export type Mode = 'now' | 'slow';

export interface BenchServer extends AsyncDisposable {
  /** A URL that was never asked for before: nobody is to answer from what it has kept. */
  urlOf(page: BenchPage, mode?: Mode): string;
}

const shortestDelayMs = 250;
const delayRangeMs = 500;

/** Serves the generated pages and, below `/files/`, a folder, on a free port of this machine. */
export function serveBenchPages(folder: string | undefined): BenchServer {
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request): Promise<Response> => {
      const { pathname, search } = new URL(request.url);
      const [mode, ...path] = pathname.slice(1).split('/');
      if (mode === 'files' && folder !== undefined) {
        const file = fileOf(folder, path.join('/'));
        return (await file.exists()) ? new Response(file) : missing();
      }
      if (mode === 'slow') {
        await Bun.sleep(shortestDelayMs + delayRangeMs * seedOf(pathname + search)());
      }
      const [name = '', resource = ''] = path;
      return answer(name, resource, `http://localhost:${server.port}`);
    },
  });
  let count = 0;
  return {
    urlOf: ({ path }, mode = 'now') => {
      count += 1;
      const isFile = !path.endsWith('/');
      return `http://127.0.0.1:${server.port}/${isFile ? 'files' : mode}/${path}?scan=${count}`;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function answer(name: string, resource: string, otherOrigin: string): Response {
  const random = seedOf(`${name}/${resource}`);
  const source = sources[name];
  if (source === undefined) return missing();
  if (resource === '') return htmlResponse(source(seedOf(name), otherOrigin));
  if (resource === 'content.html') return htmlResponse(lateContent(random));
  if (resource === 'nested.html')
    return htmlResponse(
      sources['frames']?.(random, otherOrigin).replaceAll('nested.html', 'frame.html') ?? '',
    );
  if (resource.endsWith('.html')) return htmlResponse(frameContent(random));
  if (resource === 'style.css') return typed('text/css', style);
  if (resource === 'app.js') return typed('text/javascript', lateScript);
  if (resource.endsWith('.css'))
    return typed('text/css', `.${resource.slice(0, -4)} { color: #333 }`);
  if (resource.endsWith('.js'))
    return typed('text/javascript', `globalThis['${resource}'] = ${random()};`);
  const colour = Math.floor(random() * 0xffffff)
    .toString(16)
    .padStart(6, '0');
  return typed(
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 12 8"><rect width="12" height="8" fill="#${colour}"/></svg>`,
  );
}

function typed(type: string, body: string): Response {
  return new Response(body, { headers: { 'content-type': type } });
}

function missing(): Response {
  return new Response('nothing here', { status: 404 });
}
