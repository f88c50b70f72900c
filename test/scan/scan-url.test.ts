import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { DomainError } from '../../src/errors.ts';
import { candidatesOf, parseScanUrl, type ScanUrl } from '../../src/scan/scan-url.ts';

function refusalOf(text: string): string {
  try {
    const { url } = parseScanUrl(text);
    throw new Error(`accepted as ${url.href}`);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('invalid-url');
    return error.message;
  }
}

describe('a full URL is read by the WHATWG rules', () => {
  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com', 'https://example.com/'],
    ['http://example.com', 'http://example.com/'],
    ['HTTPS://EXAMPLE.com/PaTh', 'https://example.com/PaTh'],
    ['  https://example.com/  ', 'https://example.com/'],
    ['\t\r\nhttps://example.com/\u00a0\ufeff', 'https://example.com/'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:80/', 'http://example.com/'],
    ['https://example.com:80/', 'https://example.com:80/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['https://example.com:/', 'https://example.com/'],
    ['https://example.com:008443/', 'https://example.com:8443/'],
    ['https://example.com:65535/', 'https://example.com:65535/'],
    ['https://example.com/#top', 'https://example.com/'],
    ['https://example.com/#', 'https://example.com/'],
    ['https://example.com/?a=1#top', 'https://example.com/?a=1'],
    ['https://example.com/?', 'https://example.com/?'],
    ['https://example.com?q', 'https://example.com/?q'],
    ['https://example.com/a/../b/./c', 'https://example.com/b/c'],
    ['https://example.com/%2e%2e/a', 'https://example.com/a'],
    ['https:\\\\example.com\\a\\b?c\\d', 'https://example.com/a/b?c\\d'],
    ['https:/example.com', 'https://example.com/'],
    ['https:example.com', 'https://example.com/'],
    ['https:///example.com', 'https://example.com/'],
    ['https://@example.com/', 'https://example.com/'],
    ['https://:@example.com/', 'https://example.com/'],
    ['https://bücher.example/straße?q=ü', 'https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%BC'],
    ['https://BÜCHER.example/', 'https://xn--bcher-kva.example/'],
    ['https://straße.example/', 'https://xn--strae-oqa.example/'],
    ['https://例え.テスト/', 'https://xn--r8jz45g.xn--zckzah/'],
    ['https://☃.example/', 'https://xn--n3h.example/'],
    ['https://example。com/', 'https://example.com/'],
    ['https://exa\u00admple.com/', 'https://example.com/'],
    ['https://exa%6Dple.com/', 'https://example.com/'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://example.com/%zz%', 'https://example.com/%zz%'],
    ['https://example.com/"<>`{}', 'https://example.com/%22%3C%3E%60%7B%7D'],
    ['https://example.com/\0a', 'https://example.com/%00a'],
    ['https://example.com/a\0', 'https://example.com/a'],
    ['https://example.com/\u202egpj', 'https://example.com/%E2%80%AEgpj'],
    ['https://example.com/\ud800', 'https://example.com/%EF%BF%BD'],
    ['https://exam\tple.com/a\nb', 'https://example.com/ab'],
    ['https://localhost:3000/', 'https://localhost:3000/'],
    ['https://intranet/', 'https://intranet/'],
    ['https://example.com./', 'https://example.com./'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://0x7f.0.0.1/', 'http://127.0.0.1/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://１２７.0.0.1/', 'http://127.0.0.1/'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['http://[0:0::1]/', 'http://[::1]/'],
    ['http://[2001:DB8::1]/', 'http://[2001:db8::1]/'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    [
      'https://example.com/?url=https://user:word@other.example/#a',
      'https://example.com/?url=https://user:word@other.example/',
    ],
  ])('%j', (text, href) => {
    const scanUrl = parseScanUrl(text);
    expect(scanUrl.url.href).toBe(href);
    expect(scanUrl.isBareDomain).toBe(false);
    expect(candidatesOf(scanUrl).map(String)).toEqual([href]);
  });
});

describe('a bare domain is tried by https, then by http', () => {
  test.each([
    ['example.com', 'https://example.com/', 'http://example.com/'],
    ['EXAMPLE.com', 'https://example.com/', 'http://example.com/'],
    [' \n example.com \t', 'https://example.com/', 'http://example.com/'],
    ['example.com/', 'https://example.com/', 'http://example.com/'],
    [
      'example.com:8080/path?q',
      'https://example.com:8080/path?q',
      'http://example.com:8080/path?q',
    ],
    ['example.com:8080', 'https://example.com:8080/', 'http://example.com:8080/'],
    ['example.com:8080?q', 'https://example.com:8080/?q', 'http://example.com:8080/?q'],
    ['example.com:8080#top', 'https://example.com:8080/', 'http://example.com:8080/'],
    ['example.com:8080\\path', 'https://example.com:8080/path', 'http://example.com:8080/path'],
    ['example.com:80', 'https://example.com:80/', 'http://example.com/'],
    [
      'example.com?q=https://other.example/',
      'https://example.com/?q=https://other.example/',
      'http://example.com/?q=https://other.example/',
    ],
    ['example.com#top', 'https://example.com/', 'http://example.com/'],
    ['example.com\\path', 'https://example.com/path', 'http://example.com/path'],
    ['//example.com/path', 'https://example.com/path', 'http://example.com/path'],
    ['www.example.co.uk/a:b', 'https://www.example.co.uk/a:b', 'http://www.example.co.uk/a:b'],
    ['example.com.', 'https://example.com./', 'http://example.com./'],
    ['bücher.example', 'https://xn--bcher-kva.example/', 'http://xn--bcher-kva.example/'],
    [
      'Ünïcode.example:81/ä',
      'https://xn--ncode-cta3g.example:81/%C3%A4',
      'http://xn--ncode-cta3g.example:81/%C3%A4',
    ],
    ['xn--bcher-kva.example', 'https://xn--bcher-kva.example/', 'http://xn--bcher-kva.example/'],
    ['localhost', 'https://localhost/', 'http://localhost/'],
    ['localhost:3000', 'https://localhost:3000/', 'http://localhost:3000/'],
    ['LocalHost:3000/a', 'https://localhost:3000/a', 'http://localhost:3000/a'],
    ['192.0.2.1', 'https://192.0.2.1/', 'http://192.0.2.1/'],
    ['192.0.2.1:8080/a', 'https://192.0.2.1:8080/a', 'http://192.0.2.1:8080/a'],
    ['[2001:db8::1]', 'https://[2001:db8::1]/', 'http://[2001:db8::1]/'],
    ['[2001:db8::1]:8080/a', 'https://[2001:db8::1]:8080/a', 'http://[2001:db8::1]:8080/a'],
  ])('%j', (text, byHttps, byHttp) => {
    const scanUrl = parseScanUrl(text);
    expect(scanUrl.url.href).toBe(byHttps);
    expect(scanUrl.isBareDomain).toBe(true);
    expect(candidatesOf(scanUrl).map(String)).toEqual([byHttps, byHttp]);
    expect(scanUrl.url.href).toBe(byHttps);
  });
});

test.each([
  ['example.com:443', 'https://example.com/'],
  ['example.com:443/path?q', 'https://example.com/path?q'],
  ['[2001:db8::1]:443', 'https://[2001:db8::1]/'],
])('a bare domain with the port of https is tried by https alone: %s', (text, href) => {
  expect(candidatesOf(parseScanUrl(text)).map(String)).toEqual([href]);
});

describe('what is wrong with a URL is said', () => {
  const empty = 'url is empty. Give a web address, such as https://example.com/.';
  const notValid = 'is not a valid URL. Percent-encode it';
  const notHttp = 'is not a scheme that can be scanned. Use http or https.';
  const credentials = 'url holds a user name or password.';
  const noDomain = 'is neither a URL nor a domain. Write it out, such as https://example.com/.';

  test.each([
    ['', empty],
    [' \t\n\u00a0', empty],
    ['https://', notValid],
    ['http:', notValid],
    ['http:/', notValid],
    ['https://?q', notValid],
    ['https://#top', notValid],
    ['?q', notValid],
    ['#top', notValid],
    ['https://example.com:65536/', notValid],
    ['https://example.com:-1/', notValid],
    ['https://example.com:80a/', notValid],
    ['https://exa mple.com/', notValid],
    ['exa mple.com', notValid],
    ['example.com, other.example', notValid],
    ['https://exam\0ple.com/', notValid],
    ['https://exam\u202eple.com/', notValid],
    ['https://exam%00ple.com/', notValid],
    ['https://ex%zzample.com/', notValid],
    ['https://exam<ple>.com/', notValid],
    ['https://\ud800.example/', notValid],
    ['\0https://example.com/', notValid],
    ['https://[::1', notValid],
    ['https://[fe80::1%25eth0]/', notValid],
    ['::1', notValid],
    ['1.2.3.4.5', notValid],
    ['256.256.256.256', notValid],
    ['xn--a.example', notValid],
    ['https://xn--a/', notValid],
    ['ftp://example.com/', `“ftp:” ${notHttp}`],
    ['file:///etc/passwd', `“file:” ${notHttp}`],
    ['FILE:/etc/passwd', `“file:” ${notHttp}`],
    ['javascript:alert(1)', `“javascript:” ${notHttp}`],
    ['JavaScript:alert(1)', `“javascript:” ${notHttp}`],
    ['data:text/html,<p>', `“data:” ${notHttp}`],
    ['view-source:https://example.com/', `“view-source:” ${notHttp}`],
    ['blob:https://example.com/a', `“blob:” ${notHttp}`],
    ['chrome://version', `“chrome:” ${notHttp}`],
    ['about:blank', `“about:” ${notHttp}`],
    ['ws://example.com/', `“ws:” ${notHttp}`],
    ['http+unix://%2Fvar%2Frun%2Fdocker.sock/', `“http+unix:” ${notHttp}`],
    ['mailto:someone@example.com', `“mailto:” ${notHttp}`],
    ['C:\\pages\\index.html', `“c:” ${notHttp}`],
    ['example.com:8080:90', `“example.com:” ${notHttp}`],
    ['https://user@example.com/', credentials],
    ['https://user:word@example.com/', credentials],
    ['https://:word@example.com/', credentials],
    ['https://example.com@192.0.2.1/', credentials],
    ['http:user:word@example.com', credentials],
    ['someone@example.com', credentials],
    ['example', noDomain],
    ['example/index.html', noDomain],
    ['localhost.', noDomain],
    ['com.', noDomain],
    ['.com', noDomain],
    ['example..com', noDomain],
    ['http//example.com', noDomain],
    ['http:8080', noDomain],
    ['tel:123', noDomain],
    ['ht\ntp://example.com/', noDomain],
    ['java\nscript:1', noDomain],
    ['null', noDomain],
    ['..', noDomain],
  ])('%j', (text, sentence) => {
    expect(refusalOf(text)).toContain(sentence);
  });

  test('with the text, cut where it is long', () => {
    expect(refusalOf('example')).toStartWith('“example” is neither');
    expect(refusalOf('a'.repeat(100))).toStartWith(`“${'a'.repeat(100)}” is neither`);
    expect(refusalOf('a'.repeat(101))).toStartWith(`“${'a'.repeat(100)}…” is neither`);
    expect(refusalOf(`${'x'.repeat(2_000)}:a`)).toStartWith(`“${'x'.repeat(100)}…” is not`);
  });
});

describe('a URL has at most 2,048 characters', () => {
  const tooLong = 'url is longer than 2048 characters. Scan a shorter address of the page.';
  const ofLength = (start: string, length: number): string => start.padEnd(length, 'a');
  /** Six characters each when it is canonical. */
  const umlauts = 'ü'.repeat(338);

  test.each([
    ['as it is written', ofLength('https://example.com/', 2_048)],
    ['without the spaces around it', ` ${ofLength('https://example.com/', 2_048)} `],
    ['with its fragment', ofLength('https://example.com/#', 2_048)],
    ['in canonical form', `https://example.com/${umlauts}`],
    ['with the scheme that a bare domain gets', ofLength('example.com/', 2_040)],
  ])('%s', (_, text) => {
    expect(parseScanUrl(text).url.href.length).toBeOneOf([2_048, 20]);
    expect(refusalOf(text.replace('example', 'eexample'))).toBe(tooLong);
  });

  test('however long it is', () => {
    expect(refusalOf('a'.repeat(1_000_000))).toBe(tooLong);
    expect(refusalOf(`https://example.com/${'ü'.repeat(2_000)}`)).toBe(tooLong);
  });
});

describe('whatever the text is', () => {
  const pieces =
    'http https HTTPS ftp : / // \\ @ # ? & . .. - example .com localhost bücher 例え xn-- 。 ß 127.1 0x7f 256 [ ] ::1 ::ffff: 1 80 443 65536 % %2e %00 %zz 🦄';
  const invisible = '\0 \t \n \u001b \u00a0 \u00ad \u200d \u202e \u2066 \ud800';
  const piece = fc.constantFrom(' ', ...pieces.split(' '), ...invisible.split(' '));
  const text = fc.oneof(
    { weight: 3, arbitrary: fc.array(piece, { maxLength: 12 }).map((all) => all.join('')) },
    fc.array(piece, { maxLength: 8 }).map((all) => `https://example.com${all.join('')}`),
    fc.array(piece, { maxLength: 8 }).map((all) => `https://${all.join('')}`),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https'] }),
    fc.domain(),
  );

  const parseOrNull = (given: string): ScanUrl | null => {
    try {
      return parseScanUrl(given);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'invalid-url') return null;
      throw error;
    }
  };

  test('it is refused as an invalid URL, or it is a canonical one', () => {
    let accepted = 0;
    fc.assert(
      fc.property(text, (given) => {
        const scanUrl = parseOrNull(given);
        if (scanUrl === null) return;
        accepted += 1;
        const candidates = candidatesOf(scanUrl);
        expect(candidates).toHaveLength(scanUrl.isBareDomain ? 2 : 1);
        for (const url of candidates) {
          const { href, protocol, username, password, hash, hostname } = url;
          expect(protocol).toBeOneOf(['http:', 'https:']);
          expect([username, password, hash]).toEqual(['', '', '']);
          expect(hostname).not.toBe('');
          // No space, control, quote of HTML or letter outside ASCII may be left.
          expect(href).toMatch(/^[!-~]+$/);
          expect(href).not.toContain('#');
          expect(href.length).toBeLessThanOrEqual(2_048);
          expect(parseScanUrl(href)).toEqual({ url: new URL(href), isBareDomain: false });
          expect(parseScanUrl(href).url.href).toBe(href);
        }
        expect(scanUrl.url.protocol).toBe(scanUrl.isBareDomain ? 'https:' : scanUrl.url.protocol);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  test('every http or https URL without credentials is accepted as the URL parser has it', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'], withFragments: true }), (given) => {
        const expected = new URL(given);
        expected.hash = '';
        expect(parseScanUrl(given)).toEqual({ url: expected, isBareDomain: false });
        expect(parseScanUrl(given).url.href).toBe(expected.href);
      }),
    );
  });

  test('every domain is accepted bare, with or without a port', () => {
    fc.assert(
      fc.property(fc.domain(), fc.integer({ min: 1, max: 65_535 }), (domain, port) => {
        fc.pre(URL.canParse(`https://${domain}`));
        expect(parseScanUrl(domain).url.href).toBe(new URL(`https://${domain}`).href);
        expect(parseScanUrl(`${domain}:${port}`).url.href).toBe(
          new URL(`https://${domain}:${port}`).href,
        );
      }),
    );
  });
});
