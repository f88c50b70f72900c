import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

interface Font {
  occurrences: number;
  numLigatures: number;
}

// axe's own.
declare const cache_default: RunCache;
declare function sanitize_default(text: string): string;
declare function has_unicode_default(text: string, kinds: object): boolean;

function _isIconLigature(
  textVNode: VirtualNode & { readonly parent: VirtualNode },
  differenceThreshold = 0.15,
  occurrenceThreshold = 3,
): boolean {
  const text = (textVNode.actualNode.nodeValue as string).trim();
  if (!sanitize_default(text) || has_unicode_default(text, { emoji: true, nonBmp: true })) {
    return false;
  }
  const context = cache_default.get('canvasContext', () =>
    document.createElement('canvas').getContext('2d', { willReadFrequently: true }),
  ) as CanvasRenderingContext2D;
  const fonts = cache_default.get('fonts', (): Record<string, Font> => ({}));
  const family = textVNode.parent.getComputedStylePropertyValue('font-family');
  const font = (fonts[family] ||= { occurrences: 0, numLigatures: 0 });
  if (font.occurrences >= occurrenceThreshold) {
    if (font.numLigatures / font.occurrences === 1) return true;
    if (font.numLigatures === 0) return false;
  }
  font.occurrences += 1;
  const isLigature = looksLikeLigature(context, text, family, differenceThreshold);
  if (isLigature) font.numLigatures += 1;
  return isLigature;
}

/** Whether letters together are drawn as something else: an icon. */
function looksLikeLigature(
  context: CanvasRenderingContext2D,
  text: string,
  family: string,
  threshold: number,
): boolean {
  context.font = `30px ${family}`;
  const [firstChar = ''] = text.split('');
  const measured = context.measureText(firstChar).width;
  if (measured === 0) return true;
  const scale = measured < 30 ? 30 / measured : 1;
  const width = measured * scale;
  const height = 30 * scale;
  const prepare = (): void => {
    context.font = `${height}px ${family}`;
    context.textAlign = 'left';
    context.textBaseline = 'top';
  };
  prepare();
  // A letter may be blank, or so high that nothing of it is seen.
  const ink = context.measureText(firstChar);
  const isSeen =
    ink.actualBoundingBoxLeft <= 0 &&
    ink.actualBoundingBoxAscent <= 0 &&
    ink.actualBoundingBoxRight <= width &&
    ink.actualBoundingBoxDescent <= height &&
    ink.actualBoundingBoxRight + ink.actualBoundingBoxLeft > 2 &&
    ink.actualBoundingBoxDescent + ink.actualBoundingBoxAscent > 2;
  const widths = new Map<string, number>();
  let expectedWidth = 0;
  for (const char of text.split('')) {
    let charWidth = widths.get(char);
    if (charWidth === undefined) widths.set(char, (charWidth = context.measureText(char).width));
    expectedWidth += charWidth;
  }
  const isShort = 1 - context.measureText(text).width / expectedWidth >= threshold;
  if (isSeen && !isShort) return false;

  context.canvas.width = width;
  context.canvas.height = height;
  prepare();
  const pixelsOf = (drawn: string): Uint32Array => {
    context.fillText(drawn, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  };
  const pixels = pixelsOf(firstChar);
  if (pixels.every((pixel) => pixel === 0)) return true;
  context.clearRect(0, 0, width, height);
  const others = pixelsOf(text);
  let differences = 0;
  for (const [index, pixel] of pixels.entries()) {
    if ((pixel === 0) !== (others[index] === 0)) differences += 1;
  }
  return differences / pixels.length >= threshold && isShort;
}

export const iconLigature: Patch = replaceFunction(
  `Texts are drawn to tell icons from letters, also where their width tells it.`,
  _isIconLigature,
  looksLikeLigature,
);
