import { runInNewContext } from 'node:vm';
import { type Patch, replaceFunction } from '../patch.ts';

/** Of the letters of a code, each a place in its parent's array; a leaf is no array. */
type Tree = readonly (Tree | undefined)[];

// Made below.
declare const languageBits: string;

const start = 'var langs = ';
/** `a` to `z` from 1 on; a code of two letters has 0 for its third. */
const letterCount = 27;
const reason = `Nine thousand array elements, with a place for each letter of a code, are parsed and built in
  each page to look up one or two codes of languages.`;

/** The tree as a text with a bit for each code, four to a digit. */
function packTree(declaration: string): string {
  const literal = declaration.trim().slice(start.length, -1);
  const tree = runInNewContext(literal) as Tree;
  const bits = Array.from({ length: letterCount ** 3 }, (_, place) => {
    const third = place % letterCount;
    const second = Math.floor(place / letterCount) % letterCount;
    const first = Math.floor(place / letterCount ** 2);
    return tree[first]?.[second]?.[third] === undefined ? 0 : 1;
  });
  const digits = bits.join('').replaceAll(/.{1,4}/g, (four) => digitOf(four.padEnd(4, '0')));
  return `var languageBits = '${digits}';`;
}

function digitOf(bits: string): string {
  return Number.parseInt(bits, 2).toString(16);
}

function isValidLang(language: string): boolean {
  const code = language.padEnd(3, '`');
  if (!/^[`a-z]{3}$/.test(code)) return false;
  let place = 0;
  for (let index = 0; index < 3; index += 1) place = place * 27 + code.charCodeAt(index) - 96;
  const four = Number.parseInt(languageBits.charAt(place >> 2), 16);
  return (four & (8 >> (place & 3))) !== 0;
}

export const languages: readonly Patch[] = [
  { reason, start, replacement: packTree },
  replaceFunction(reason, isValidLang),
];
