import type { TCPSocketListener, udp } from 'bun';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { until } from '../support/test-app.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

/*
 * Pages that try to reach a canary on 127.0.0.2 in every way that a page has, while only 127.0.0.1
 * is open. The same pages are scanned with the canary's address open too, which shows that the
 * attempts are real.
 */

type Attack = string | (() => Response);

const runs = (script: string) => page(`<script>${script}</script>`);
const within = (name: string, code: string) =>
  runs(`new ${name}(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`);
const redirect = (status: number, location: string) => () =>
  new Response('', { status, headers: { location } });

/** Those whose attempt arrives when the address is open. */
const attacks = (canary: string, host: string): Record<string, Attack> => ({
  'redirect-301': redirect(301, canary),
  'redirect-302': redirect(302, canary),
  'redirect-307': redirect(307, canary),
  'meta-refresh': page('', `<meta http-equiv="refresh" content="0; url=${canary}">`),
  location: runs(`location = "${canary}"`),
  form: page(
    `<form method="post" action="${canary}"></form><script>document.forms[0].submit()</script>`,
  ),
  img: page(`<img alt="" src="${canary}">`),
  'img-redirected': page('<img alt="" src="/redirect-302">'),
  script: page(`<script src="${canary}"></script>`),
  'css-url': page(`<div style="background: url(${canary})">Text</div>`),
  'css-import': page('', `<style>@import url(${canary});</style>`),
  font: page(
    '<p style="font-family: far">Text</p>',
    `<style>@font-face { font-family: far; src: url(${canary}) }</style>`,
  ),
  iframe: page(`<iframe title="Frame" src="${canary}"></iframe>`),
  object: page(`<object data="${canary}">Text</object>`),
  embed: page(`<embed src="${canary}">`),
  video: page(`<video src="${canary}" autoplay muted></video>`),
  fetch: runs(`fetch("${canary}", { mode: "no-cors" })`),
  xhr: runs(`const xhr = new XMLHttpRequest(); xhr.open("GET", "${canary}"); xhr.send();`),
  beacon: runs(`navigator.sendBeacon("${canary}", "x")`),
  ping: page(`<a id="link" ping="${canary}" href="#x">Link</a><script>link.click()</script>`),
  'event-source': runs(`new EventSource("${canary}")`),
  websocket: runs(`new WebSocket("ws://${host}")`),
  'websocket-secure': runs(`new WebSocket("wss://${host}")`),
  turn: runs(peer(`{ urls: "turn:${host}?transport=tcp", username: "u", credential: "c" }`)),
  prefetch: page('', `<link rel="prefetch" href="${canary}">`),
  preload: page('', `<link rel="preload" as="image" href="${canary}">`),
  'link-header': () => htmlResponse(page(), { link: `<${canary}>; rel=preload; as=image` }),
  worker: within('Worker', `fetch("${canary}", { mode: "no-cors" })`),
  'shared-worker': within('SharedWorker', `fetch("${canary}", { mode: "no-cors" })`),
  'worker-websocket': within('Worker', `new WebSocket("ws://${host}")`),
  'service-worker': runs('navigator.serviceWorker.register("/service-worker.js")'),
  'csp-report': () =>
    htmlResponse(runs('1'), {
      'content-security-policy': `script-src 'none'; report-uri ${canary}`,
    }),
  'rebound-name': runs(`fetch("http://rebound.test:${host.split(':')[1]}", { mode: "no-cors" })`),
});

/** Those that do not arrive anyway, by other flags, or that need what a test does not have. */
const quietAttacks = (canary: string, host: string, udpPort: number): Record<string, Attack> => ({
  stun: runs(peer(`{ urls: "stun:127.0.0.2:${udpPort}" }`)),
  'turn-udp': runs(peer(`{ urls: "turn:127.0.0.2:${udpPort}", username: "u", credential: "c" }`)),
  webtransport: runs(`new WebTransport("https://127.0.0.2:${udpPort}")`),
  preconnect: page('', `<link rel="preconnect" href="${canary}">`),
  'link-header-preconnect': () => htmlResponse(page(), { link: `<${canary}>; rel=preconnect` }),
  'dns-prefetch': page('', `<link rel="dns-prefetch" href="//${host}">`),
  'speculation-rules': page(
    `<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["${canary}"], "eagerness": "immediate"}], "prerender": [{"source": "list", "urls": ["${canary}"], "eagerness": "immediate"}]}</script>`,
  ),
  'window-open': runs(`open("${canary}"); open("${canary}", "_blank", "noopener")`),
  manifest: page('', `<link rel="manifest" href="${canary}">`),
  icon: page('', `<link rel="icon" href="${canary}">`),
  'file-frame': page('<iframe title="Frame" src="file:///etc/passwd"></iframe>'),
  'view-source': runs(`open("view-source:${canary}"); location = "view-source:${canary}"`),
  'reporting-api': () =>
    htmlResponse(runs('1'), {
      'reporting-endpoints': `all="${canary}"`,
      'content-security-policy': "script-src 'none'; report-to all",
    }),
});

function peer(server: string): string {
  return `const peer = new RTCPeerConnection({ iceServers: [${server}] });
    peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;
}

let pages: PageServer;
let canary: TCPSocketListener;
let udpCanary: udp.Socket<'buffer'>;
let arrivals = 0;
beforeAll(async () => {
  canary = Bun.listen({
    hostname: '127.0.0.2',
    port: 0,
    socket: {
      open: () => void (arrivals += 1),
      data: (socket) =>
        void socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n'),
    },
  });
  udpCanary = await Bun.udpSocket({
    hostname: '127.0.0.2',
    port: 0,
    socket: { data: () => void (arrivals += 1) },
  });
  const host = `127.0.0.2:${canary.port}`;
  const url = `http://${host}/`;
  const all = { ...attacks(url, host), ...quietAttacks(url, host, udpCanary.port) };
  pages = servePages(() => ({
    ...Object.fromEntries(Object.entries(all).map(([name, attack]) => [`/${name}`, attack])),
    '/service-worker.js': () =>
      new Response(`oninstall = () => fetch("${url}", { mode: "no-cors" })`, {
        headers: { 'content-type': 'text/javascript' },
      }),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  canary.stop(true);
  udpCanary.close();
  await pages[Symbol.asyncDispose]();
});

/** First this machine, where the pages are, and then the canary's address. */
function reboundName(): (name: string) => Promise<string[]> {
  const answers = ['127.0.0.1'];
  return () => Promise.resolve([answers.pop() ?? '127.0.0.2']);
}

/** Scans a page, which may end in a report or not. */
async function scanAttack(stage: BrowserStage, name: string): Promise<void> {
  const url = new URL(`/${name}`, pages.origin);
  if (name === 'rebound-name') url.hostname = 'rebound.test';
  await stage.scan(url.href).catch(() => {});
}

describe('an address that is open is reached by', () => {
  let stage: BrowserStage;
  beforeAll(async () => {
    stage = await startBrowserStage({
      allowNetworks: ['127.0.0.0/8'],
      resolveHost: reboundName(),
    });
  }, scanTimeoutMs);
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(Object.keys(attacks('', '')))(
    '%s',
    async (name) => {
      const before = arrivals;
      await scanAttack(stage, name);
      await until(() => arrivals > before);
    },
    scanTimeoutMs,
  );
});

describe('an address that is not open is not reached by', () => {
  let stage: BrowserStage;
  let arrivalsBefore: number;
  beforeAll(async () => {
    arrivalsBefore = arrivals;
    stage = await startBrowserStage({
      allowNetworks: ['127.0.0.1/32'],
      resolveHost: reboundName(),
    });
  }, scanTimeoutMs);
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each([...Object.keys(attacks('', '')), ...Object.keys(quietAttacks('', '', 0))])(
    '%s',
    async (name) => {
      const before = arrivals;
      await scanAttack(stage, name);
      expect(arrivals).toBe(before);
    },
    scanTimeoutMs,
  );

  test(
    'any of them when its scan is long over',
    async () => {
      await scanAttack(stage, 'file-frame');
      expect(arrivals).toBe(arrivalsBefore);
    },
    scanTimeoutMs,
  );
});
