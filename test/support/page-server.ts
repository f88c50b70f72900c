import type { TCPSocketListener } from 'bun';

type Answer = (request: Request) => Response | Promise<Response>;

interface PageServerUrls {
  readonly origin: string;
  /** The same server under another name: another site to the browser. */
  readonly otherOrigin: string;
}

/** Pages of our own on a free port of 127.0.0.1. */
export interface PageServer extends PageServerUrls, AsyncDisposable {
  /** Everything that was asked for, in its order. */
  readonly requests: { readonly url: string; readonly headers: Headers }[];
}

/** Serves the answers by path; another path is 404. A text is the source of an HTML document. */
export function servePages(
  answersFor: (urls: PageServerUrls) => Record<string, string | Answer>,
): PageServer {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => {
      // A request's own headers go when it is answered.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      const answer = answers[new URL(request.url).pathname];
      if (answer === undefined) return new Response('nothing here', { status: 404 });
      return typeof answer === 'string' ? htmlResponse(answer) : answer(request);
    },
  });
  const urls = {
    origin: `http://127.0.0.1:${server.port}`,
    otherOrigin: `http://localhost:${server.port}`,
  };
  const answers = answersFor(urls);
  return { ...urls, requests, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** The source of a page without violations, but for what is put into it. */
export function page(body = '', head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head>
<body><main><h1>A page</h1>${body}</main></body></html>`;
}

export function htmlResponse(source: string, headers: Record<string, string> = {}): Response {
  return new Response(source, { headers: { 'content-type': 'text/html', ...headers } });
}

/** An answer that never comes. */
export function silence(): Promise<Response> {
  return new Promise(() => {});
}

/** Answers each connection with the bytes and closes it; or resets it; or holds it open in silence. */
export function serveBytes(
  answer: { bytes: string; endAfterMs?: number } | 'silence' | 'reset',
): Disposable & { origin: string } {
  const listener: TCPSocketListener = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data: (socket) => {
        if (answer === 'silence') return;
        if (answer === 'reset') socket.terminate();
        else if (answer.endAfterMs === undefined) socket.end(answer.bytes);
        else {
          socket.write(answer.bytes);
          setTimeout(() => socket.end(), answer.endAfterMs);
        }
      },
    },
  });
  return {
    origin: `http://127.0.0.1:${listener.port}`,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** A port of 127.0.0.1 that refuses connections. */
export function closedPort(): number {
  const listener = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data: () => {} } });
  listener.stop(true);
  return listener.port;
}
