import { afterAll, beforeAll, expect, test } from 'bun:test';
import { htmlResponse, page, type PageServer, servePages } from '../support/page-server.ts';
import {
  type BrowserStage,
  productToken,
  scanTimeoutMs,
  startBrowserStage,
} from './browser-stage.ts';

/** What a script sees of the browser, sent to the server. */
const tell = (place: string) => `(async () => {
  const { userAgent, userAgentData, languages } = navigator;
  const { brands } = userAgentData;
  const { fullVersionList, platform } = await userAgentData.getHighEntropyValues(['fullVersionList', 'platform']);
  await fetch('/told?place=${place}', {
    method: 'POST',
    body: JSON.stringify({ userAgent, brands, fullVersionList, platform, languages }),
  });
})()`;

interface Told {
  userAgent: string;
  brands: { brand: string; version: string }[];
  fullVersionList: { brand: string; version: string }[];
  platform: string;
  languages: string[];
}

let stage: BrowserStage;
let pages: PageServer;
const told = new Map<string, Told>();
let screenSizes: unknown;
beforeAll(async () => {
  stage = await startBrowserStage();
  pages = servePages(({ otherOrigin }) => ({
    '/': () =>
      htmlResponse(
        page(
          `<script>
            new Worker('/worker.js');
            ${tell('page')};
            fetch('/sizes', { method: 'POST', body: JSON.stringify({
              window: [innerWidth, innerHeight],
              screen: [screen.width, screen.height],
              isSmallDevice: matchMedia('(max-device-width: 1279px)').matches,
              scale: devicePixelRatio,
            }) });
          </script>
          <iframe title="same" src="/frame?same"></iframe>
          <iframe title="other" src="${otherOrigin}/frame?other"></iframe>`,
        ),
        { 'accept-ch': 'Sec-CH-UA-Full-Version-List' },
      ),
    '/frame': ({ url }) =>
      htmlResponse(page(`<script>${tell(new URL(url).search.slice(1))}</script>`)),
    '/worker.js': () =>
      new Response(tell('worker'), { headers: { 'content-type': 'text/javascript' } }),
    '/told': async (request) => {
      told.set(new URL(request.url).searchParams.get('place') ?? '', await request.json());
      return new Response('');
    },
    '/sizes': async (request) => {
      screenSizes = await request.json();
      return new Response('');
    },
  }));
  await stage.scan(`${pages.origin}/`);
}, scanTimeoutMs);
afterAll(async () => {
  await pages[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const chromeUserAgent =
  /^Mozilla\/5\.0 \(X11; Linux x86_64\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/(\d+)\.0\.0\.0 Safari\/537\.36 /;

test('every request has the User-Agent of an ordinary Chrome with the product token, and English', () => {
  expect(pages.requests.length).toBeGreaterThan(7);
  for (const { headers } of pages.requests) {
    expect(headers.get('user-agent')).toMatch(chromeUserAgent);
    expect(headers.get('user-agent')).toEndWith(` ${productToken}`);
    expect(headers.get('accept-language')).toStartWith('en-US,en');
  }
});

test('no request header speaks of a headless browser', () => {
  const values = pages.requests.flatMap(({ headers }) => [...headers.values()]);
  expect(values.filter((value) => /headless/i.test(value))).toEqual([]);
  const brands = pages.requests.map(({ headers }) => headers.get('sec-ch-ua') ?? '');
  expect(brands[0]).toContain('"Google Chrome";v=');
  const fullVersions = pages.requests.map(
    ({ headers }) => headers.get('sec-ch-ua-full-version-list') ?? '',
  );
  expect(fullVersions.some((list) => list.includes('"Google Chrome"'))).toBe(true);
});

test.each(['page', 'same', 'other', 'worker'])(
  'to scripts it is an ordinary Chrome: %s',
  (place) => {
    const seen = told.get(place);
    expect(seen).toMatchObject({ platform: 'Linux', languages: ['en-US', 'en'] });
    const version = chromeUserAgent.exec(seen?.userAgent ?? '')?.[1];
    expect(seen?.brands).toContainEqual({ brand: 'Google Chrome', version: `${version}` });
    expect(JSON.stringify(seen)).not.toMatch(/headless/i);
  },
);

test('the window and the screen are 1280 by 800 at a scale of 1', () => {
  expect(screenSizes).toEqual({
    window: [1280, 800],
    screen: [1280, 800],
    isSmallDevice: false,
    scale: 1,
  });
});
