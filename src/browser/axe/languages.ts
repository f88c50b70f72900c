/*
 * axe knows the codes of languages as a tree of arrays with a place for each letter. Each new renderer
 * would parse and build its nine thousand elements to look up one or two of them; a text with a bit
 * for each code is only read.
 */
import { runInNewContext } from 'node:vm';
import { applyPatch, replaceFunction } from './patch.ts';

type Branch = readonly (Branch | 1 | undefined)[] | 1 | undefined;

// Made below.
declare const languageBits: string;

const start = 'var langs = ';
const reason = `Codes of languages are parsed and built as a tree of arrays.`;
/** `a` to `z` from 1 on; a code of two letters has 0 for its third. */
const letters = [...Array(27).keys()];

export function packLanguages(bundle: string): string {
  const [, literal] = new RegExp(`^ *${start}(.*);$`, 'm').exec(bundle) ?? [];
  if (literal === undefined) throw new Error(`the bundle has no line of: ${start}`);
  const tree = runInNewContext(literal) as Branch;
  const isCode = (code: readonly number[]): boolean =>
    code.reduce((branch, letter) => (branch === 1 ? undefined : branch?.[letter]), tree) === 1;
  const pairs = letters.flatMap((first) => letters.map((second) => [first, second]));
  const bits = pairs.map((pair) => letters.map((third) => (isCode([...pair, third]) ? '1' : '0')));
  const text = bits
    .flat()
    .join('')
    .match(/.{1,4}/g)!;
  const digits = text.map((four) => Number.parseInt(four.padEnd(4, '0'), 2).toString(16)).join('');
  return [
    { reason, start, replacement: `var languageBits = '${digits}';` },
    replaceFunction(reason, isValidLang),
  ].reduce(applyPatch, bundle);
}

function isValidLang(language: string): boolean {
  const code = language.padEnd(3, '`');
  if (!/^[`a-z]{3}$/.test(code)) return false;
  let place = 0;
  for (let index = 0; index < 3; index += 1) place = place * 27 + code.charCodeAt(index) - 96;
  const four = Number.parseInt(languageBits.charAt(place >> 2), 16);
  return (four & (8 >> (place & 3))) !== 0;
}
