import { expect, test } from 'bun:test';
import { runInNewContext } from 'node:vm';
import { applyPatch } from '../../../src/browser/axe/patch.ts';
import { languages } from '../../../src/browser/axe/patches/languages.ts';

const bundle = await Bun.file(new URL(import.meta.resolve('axe-core/axe.js'))).text();
const letters = [
  '',
  ...Array.from({ length: 30 }, (_, place) => String.fromCodePoint(95 + place)),
  'A',
  '1',
  'é',
];

test('of all codes of languages, as many letters as they have, axe knows the same as before', () => {
  const stock = knownBy(bundle, 'var langs = ');
  const packed = knownBy(languages.reduce(applyPatch, bundle), 'var languageBits = ');
  expect(stock).toContain('en');
  expect(stock).not.toContain('xx');
  expect(packed).toEqual(stock);
});

/** The codes that the bundle's function takes for languages. */
function knownBy(source: string, table: string): string[] {
  const line = (start: string): number =>
    source.search(new RegExp(`^ *${RegExp.escape(start)}`, 'm'));
  const from = line('function isValidLang(');
  const indent = /^ */.exec(source.slice(from))![0];
  const code = source.slice(from, source.indexOf(`\n${indent}}\n`, from) + indent.length + 2);
  const tableLine = source.slice(line(table), source.indexOf('\n', line(table)));
  const isValid = runInNewContext(`${tableLine}${code}; isValidLang`) as (code: string) => boolean;
  const two = letters.flatMap((first) => letters.map((second) => first + second));
  const codes = two.flatMap((start) =>
    letters.flatMap((third) => [start + third, `${start}${third}a`]),
  );
  return codes.filter((text) => isValid(text));
}
