import { afterAll, beforeAll, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import { type BrowserStage, scanTimeoutMs, startBrowserStage } from './browser-stage.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  title?: string;
  body?: string;
}

const cloudflareScript =
  '<script async src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>';

/** By the service that answers. */
const challenges: Record<string, [name: string, answer: Answer][]> = {
  Cloudflare: [
    ['a challenge', { status: 403, headers: { 'cf-mitigated': 'challenge' } }],
    ['a challenge with status 200', { headers: { 'cf-mitigated': 'challenge' } }],
    ['its form', { body: '<form id="challenge-form"></form>' }],
    ['its error text', { body: '<div id="challenge-error-text"></div>' }],
    ['its error page', { status: 403, body: '<div id="cf-error-details"></div>' }],
    ['a running check', { body: '<div id="cf-challenge-running"></div>' }],
    ['its title over its script', { title: 'Just a moment...', body: cloudflareScript }],
    [
      'its title over its wrapper',
      { title: 'Attention Required! | Cloudflare', body: '<div id="cf-wrapper"></div>' },
    ],
  ],
  'AWS WAF': [
    ['a challenge', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }],
    ['a captcha', { status: 405, headers: { 'x-amzn-waf-action': 'captcha' } }],
  ],
  Vercel: [
    ['a challenge', { status: 429, headers: { 'x-vercel-mitigated': 'challenge' } }],
    ['a refusal', { status: 403, headers: { 'x-vercel-mitigated': 'deny' } }],
  ],
  Sucuri: [['a refusal', { status: 403, headers: { 'x-sucuri-block': '12' } }]],
  DataDome: [
    ['a refusal', { status: 403, headers: { 'x-datadome': 'protected' } }],
    [
      'its frame',
      { body: '</main><iframe src="https://geo.captcha-delivery.com/captcha/"></iframe>' },
    ],
  ],
  Kasada: [['a check', { status: 429, headers: { 'x-kpsdk-ct': '0x' } }]],
  HUMAN: [
    ['a captcha', { body: '<div id="px-captcha"></div>' }],
    ['a wrapped captcha', { body: '<div id="px-captcha-wrapper"></div>' }],
  ],
  Imperva: [
    [
      'its frame',
      { body: '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9"></iframe>' },
    ],
  ],
  Akamai: [['a refusal', { status: 403, headers: { server: 'AkamaiGHost' } }]],
  Anubis: [
    ['a check', { body: '<script id="anubis_challenge" type="application/json">{}</script>' }],
  ],
  Google: [['a captcha', { body: '<form id="captcha-form" action="index" method="post"></form>' }]],
};

/** Pages that have something of a challenge and are none. */
const ordinary: Record<string, Answer> = {
  'a page with a captcha in its form': {
    body: '<form><div class="g-recaptcha"></div><div class="h-captcha"></div><div class="cf-turnstile"></div></form>',
  },
  'a page that Cloudflare has put its script into': { body: cloudflareScript },
  'a page with the title of a challenge': { title: 'Just a moment...' },
  'a page with the title of a challenge among other words': {
    title: 'Just a moment... of silence',
    body: cloudflareScript,
  },
  'a page that Cloudflare has let through': {
    headers: { server: 'cloudflare', 'cf-ray': '1-TXL' },
  },
  'a page that DataDome has let through': { headers: { 'x-datadome': 'protected' } },
  'a page that Kasada has let through': { headers: { 'x-kpsdk-ct': '0x' } },
  'a page that AWS WAF has let through': { headers: { 'x-amzn-waf-action': 'allow' } },
  'a page that Akamai has let through': { headers: { server: 'AkamaiGHost' } },
  'a page with a captcha frame in its form': {
    body: '<form><iframe title="a" srcdoc="" data-src="https://geo.captcha-delivery.com/"></iframe></form>',
  },
  'a page with a form that is called like a captcha': {
    body: '<form id="captcha-form" action="/send"></form>',
  },
};

let stage: BrowserStage;
let pages: PageServer;
beforeAll(async () => {
  stage = await startBrowserStage();
  const answers = new Map([
    ...Object.entries(challenges).flatMap(([service, list]) =>
      list.map(([name, answer]): [string, Answer] => [`${service} ${name}`, answer]),
    ),
    ...Object.entries(ordinary),
    ['Akamai missing', { status: 404, headers: { server: 'AkamaiGHost' } }],
  ]);
  pages = servePages(() => ({
    '/': (request) => {
      const name = new URL(request.url).searchParams.get('answer') ?? '';
      const { status = 200, headers = {}, title = 'A page', body } = answers.get(name) ?? {};
      const source = page(body).replace('<title>A page', `<title>${title}`);
      return new Response(source, { status, headers: { 'content-type': 'text/html', ...headers } });
    },
    '/to-challenge': () =>
      htmlResponse(
        page('<script>onload = () => { location = "/?answer=Cloudflare+a+challenge"; };</script>'),
      ),
  }));
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const urlOf = (answer: string) => `${pages.origin}/?${new URLSearchParams({ answer }).toString()}`;

test.concurrent.each(
  Object.entries(challenges).flatMap(([service, list]) => list.map(([name]) => [service, name])),
)(
  'an answer of %s with %s is no page of the site',
  async (service = '', name = '') => {
    const { code, message } = await stage.fail(urlOf(`${service} ${name}`));
    expect(code).toBe('scanner-blocked');
    expect(message).toStartWith(`${service} answered for ${pages.origin}/`);
  },
  scanTimeoutMs,
);

test.concurrent.each(Object.keys(ordinary))(
  '%s is scanned',
  async (name) => {
    expect((await stage.scan(urlOf(name))).finalUrl).toBe(urlOf(name));
  },
  scanTimeoutMs,
);

test.concurrent(
  'a page that is missing behind such a service gives the error status',
  async () => {
    expect((await stage.fail(urlOf('Akamai missing'))).code).toBe('error-status');
  },
  scanTimeoutMs,
);

test.concurrent(
  'a challenge that a script of the page leads to is noticed',
  async () => {
    expect((await stage.fail(`${pages.origin}/to-challenge`)).code).toBe('scanner-blocked');
  },
  scanTimeoutMs,
);
