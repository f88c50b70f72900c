import type { ScanFailureCode } from '../../src/errors.ts';
import {
  closedPort,
  htmlResponse,
  page,
  type PageServer,
  serveBytes,
  servePages,
  silence,
} from '../support/page-server.ts';

/** How a scan ended. */
export type Outcome = 'done' | ScanFailureCode;

export interface PageKind {
  readonly name: string;
  /** Of itself or of what leads to it. */
  readonly url: string;
  /** All that its scan may come to when nobody interferes. */
  readonly outcomes: readonly Outcome[];
  /** How many of a mixed hundred. */
  readonly share: number;
}

/** Pages to be scanned by the thousand. */
interface SoakPages extends AsyncDisposable {
  readonly kinds: readonly PageKind[];
  /** One that gives no trouble. */
  readonly fine: PageKind;
}

const runs = (script: string) => page(`<img src="data:,"><script>${script}</script>`);
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, index) => `<p id="p${index}">Text <a href="/">and</a></p>`);

/** Serves one page of each kind. The costly ones are rare. */
export function serveSoakPages(): SoakPages {
  const pages = serveKinds();
  const reset = serveBytes('reset');
  const at = (name: string, share: number, ...outcomes: Outcome[]): PageKind => ({
    name,
    url: `${pages.origin}/${name}`,
    share,
    outcomes,
  });
  const elsewhere = (name: string, url: string, outcome: Outcome): PageKind => ({
    name,
    url,
    share: 4,
    outcomes: [outcome],
  });
  const fine = at('fine', 14, 'done');
  const kinds: PageKind[] = [
    fine,
    at('violations', 12, 'done'),
    at('frames', 8, 'done'),
    at('slow', 5, 'done'),
    at('late', 7, 'done'),
    at('large', 2, 'done', 'scan-timed-out'),
    at('redirect', 5, 'done'),
    at('popups', 2, 'done'),
    at('alert-storm', 3, 'done'),
    at('endless', 1, 'done', 'scan-timed-out'),
    at('missing', 6, 'error-status'),
    at('text', 4, 'not-html'),
    at('redirect-loop', 4, 'too-many-redirects'),
    at('location-loop', 1, 'done', 'too-many-redirects', 'page-unstable', 'scan-timed-out'),
    at('to-refused-address', 3, 'address-unreachable'),
    at('silent', 2, 'connection-timed-out'),
    at('alert-loop', 1, 'page-unresponsive', 'scan-timed-out'),
    at('script-loop', 1, 'page-unresponsive', 'scan-timed-out'),
    at('script-loop-later', 1, 'scan-timed-out'),
    // Loops that fill the memory, but on a busy machine not in the time to load.
    at('crash', 1, 'page-crashed', 'page-unresponsive'),
    at('memory', 1, 'page-crashed', 'page-unresponsive'),
    // The whole browser goes, and the page comes again alone.
    at('blobs', 0.3, 'page-crashed', 'page-unresponsive', 'scan-timed-out'),
    // Not the address at which the scans' own proxies take free ports.
    elsewhere('refusing port', `http://127.7.7.7:${closedPort()}/`, 'connection-refused'),
    elsewhere('reset', `${reset.origin}/`, 'connection-reset'),
    elsewhere('unknown host', 'http://nowhere.invalid/', 'dns-not-found'),
  ];
  return {
    kinds,
    fine,
    [Symbol.asyncDispose]: async () => {
      reset[Symbol.dispose]();
      await pages[Symbol.asyncDispose]();
    },
  };
}

function serveKinds(): PageServer {
  return servePages(({ otherOrigin }) => ({
    '/fine': page(),
    '/violations': page('<img src="data:,"><input><a href="/"></a><p lang="xx">Text</p>'),
    '/frames': page(
      `<iframe title="A" src="/violations"></iframe><iframe title="B" src="${otherOrigin}/fine"></iframe>`,
    ),
    '/slow': () => Bun.sleep(700).then(() => htmlResponse(page())),
    '/late': runs('setTimeout(() => document.body.append(document.createElement("p")), 200)'),
    '/large': page(paragraphs(200).join('\n')),
    '/redirect': () => Response.redirect('/fine', 302),
    '/popups': runs('for (let i = 0; i < 10; i += 1) open("/fine?" + i)'),
    '/alert-storm': runs('for (let i = 0; i < 20; i += 1) alert(i)'),
    '/endless': () => new Response(endlessBody(), { headers: { 'content-type': 'text/html' } }),
    '/text': () => new Response('text', { headers: { 'content-type': 'text/plain' } }),
    '/redirect-loop': () => Response.redirect('/redirect-loop', 302),
    '/location-loop': runs('location.replace("?" + Math.random())'),
    '/to-refused-address': () => Response.redirect('http://10.0.0.1/', 302),
    '/silent': silence,
    '/alert-loop': runs('for (;;) alert(1)'),
    '/script-loop': runs('for (;;);'),
    '/script-loop-later': runs('onload = () => setTimeout(() => { for (;;); })'),
    '/crash': runs('const held = []; for (;;) held.push(new Array(2 ** 21).fill(1.5))'),
    '/memory': runs('const held = []; for (;;) held.push(new Uint8Array(2 ** 25).fill(1))'),
    '/blobs': runs(
      'const data = new Uint8Array(2 ** 25).fill(1); const held = []; for (;;) held.push(new Blob([data]))',
    ),
  }));
}

/** A page that goes on and on. */
function endlessBody(): ReadableStream<string> {
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream<string>({
    start: (controller) => {
      controller.enqueue(page().replace(/<\/main>.*/s, ''));
      timer = setInterval(() => controller.enqueue('<p>More</p>'), 200);
    },
    cancel: () => clearInterval(timer),
  });
}
