import { type Patch, replaceFunction } from '../patch.ts';

function splitWords(text: string): string[] {
  // As the segmenter would, which ends a word where there is neither a letter nor a digit.
  if (/^[\w ]*$/.test(text)) return text.split(' ').filter(Boolean);
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return Array.from(segments, ({ segment }) => segment.trim()).filter(Boolean);
}

const reason =
  'What splits texts into words takes long to set up, and few pages have a use for it.';

export const words: readonly Patch[] = [
  { reason, start: 'var WORD_SEGMENTER = typeof', replacement: '' },
  replaceFunction(reason, splitWords),
];
