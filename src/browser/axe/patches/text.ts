import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';

interface CharacterKinds {
  readonly emoji?: boolean;
  readonly nonBmp?: boolean;
  readonly punctuations?: boolean;
  readonly replaceWith?: string;
}

// axe's own.
declare const cache_default: RunCache;
declare const removeUnicodeOptions: CharacterKinds;
declare function emoji_regex_default(): RegExp;
declare function getUnicodeNonBmpRegExp(): RegExp;
declare function getSupplementaryPrivateUseRegExp(): RegExp;
declare function getCategoryFormatRegExp(): RegExp;
declare function getVariationSelectorRegExp(): RegExp;
declare function getPunctuationRegExp(): RegExp;
declare function _isIconLigature(
  vNode: VirtualNode,
  ...thresholds: (number | undefined)[]
): boolean;
declare function sanitize_default(text: string | null): string;
declare function remove_unicode_default(text: string, kinds: CharacterKinds): string;
declare function visible_virtual_default(vNode: VirtualNode, ...rest: unknown[]): string;
declare function originalvisibleVirtual(
  element: VirtualNode | Element,
  ...rest: (boolean | object | undefined)[]
): string;

function sanitize(text: string | null | undefined): string {
  if (!text) return '';
  // Most texts are as they should be.
  if (!/\u00A0|\s\s|^\s|\s$/.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\u00A0', ' ')
    .replaceAll(/\s{2,}/g, ' ')
    .trim();
}

function hasUnicode(text: string, { emoji, nonBmp, punctuations }: CharacterKinds): boolean {
  const isAscii = !/[^\0-\u007F]/.test(text);
  return (
    (!isAscii && emoji === true && emoji_regex_default().test(text)) ||
    (!isAscii &&
      nonBmp === true &&
      (getUnicodeNonBmpRegExp().test(text) ||
        getSupplementaryPrivateUseRegExp().test(text) ||
        getCategoryFormatRegExp().test(text))) ||
    (punctuations === true && getPunctuationRegExp().test(text))
  );
}

function removeUnicode(
  text: string,
  { emoji, nonBmp, punctuations, replaceWith = '' }: CharacterKinds,
): string {
  const replace = (from: string, pattern: RegExp): string =>
    from.replace(pattern, () => replaceWith);
  let rest = text;
  if (/[^\0-\u007F]/.test(rest)) {
    if (emoji) rest = replace(rest, emoji_regex_default());
    if (nonBmp) {
      rest = replace(rest, getUnicodeNonBmpRegExp());
      rest = replace(rest, getSupplementaryPrivateUseRegExp());
      rest = replace(rest, getCategoryFormatRegExp());
      rest = replace(rest, getVariationSelectorRegExp());
    }
  }
  return punctuations ? replace(rest, getPunctuationRegExp()) : rest;
}

function visibleVirtual(
  element: VirtualNode | Element,
  screenReader?: boolean,
  noRecursing?: boolean,
  options?: object,
): string {
  // Of an element itself, without the text of the elements in it.
  if (screenReader || !noRecursing || options !== undefined) {
    return originalvisibleVirtual(element, screenReader, noRecursing, options);
  }
  const known = cache_default.get('ownVisibleTexts', () => new Map<unknown, string>());
  let text = known.get(element);
  if (text === undefined) {
    text = originalvisibleVirtual(element, screenReader, noRecursing);
    known.set(element, text);
  }
  return text;
}

function hasRealTextChildren(vNode: VirtualNode): boolean {
  const text = visible_virtual_default(vNode, false, true);
  if (text === '') return false;
  // A letter is never taken away.
  if (!/[a-z]/i.test(text) && remove_unicode_default(text, removeUnicodeOptions) === '')
    return false;
  return vNode.children.some(
    (child) => child.props.nodeName === '#text' && !_isIconLigature(child),
  );
}

const reason = `Texts are searched for rare characters by long patterns, most often in vain.`;

export const text: readonly Patch[] = [
  replaceFunction(`Each text is rewritten four times to be what it was.`, sanitize),
  replaceFunction(reason, hasUnicode),
  replaceFunction(reason, removeUnicode),
  replaceFunction(reason, hasRealTextChildren),
  wrapFunction(`The same text of each element is put together twice.`, visibleVirtual),
];
