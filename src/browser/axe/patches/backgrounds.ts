import type { Color, Rect, RunCache } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

/** What an element draws behind what is in it. */
interface Background {
  /** Why its colour can't be told. */
  readonly image: string | undefined;
  /** Undefined until it was asked for. */
  color?: Color;
  isInline?: boolean;
  /** Within which it draws. */
  box?: Pick<Rect, 'left' | 'top' | 'right' | 'bottom'>;
}

interface Layer {
  readonly color: Color;
  readonly blendMode?: string | undefined;
}

// axe's own.
declare const cache_default: RunCache;
declare const color_default2: new (r: number, g: number, b: number, alpha: number) => Color;
declare const incomplete_data_default: {
  get(key: string): string | undefined;
  set(key: string, reason: string): void;
};
declare function _getBackgroundStack(element: Element): Element[] | null;
declare function get_visible_child_text_rects_default(element: Element): Rect[];
declare function _getTextShadowColors(element: Element, options: object): Color[] | null;
declare function _flattenShadowColors(source: Color, backdrop: Color): Color;
declare function _getStackingContext(element: Element, stack: Element[]): object[];
declare function _stackingContextToColor(context: object): Layer;
declare function flatBackground(element: Element, stack: readonly Element[]): Color | null;
declare function getPageBackgroundColors(element: Element, stackHasBody: boolean): Layer[];
declare function get_own_background_color_default(style: CSSStyleDeclaration): Color;
declare function blend(backdrop: Color, source: Color, mode: string): Color;
declare function simpleAlphaCompositing(
  source: number,
  sourceAlpha: number,
  backdrop: number,
  backdropAlpha: number,
  blended: number,
): number;

function elementHasImage(element: Element, given?: CSSStyleDeclaration): boolean {
  const { image } = backgroundOf(element, given);
  if (image !== undefined) incomplete_data_default.set('bgColor', image);
  return image !== undefined;
}

function backgroundOf(element: Element, given?: CSSStyleDeclaration): Background {
  const known = cache_default.get('backgrounds', () => new Map<Element, Background>());
  let background = known.get(element);
  if (background === undefined) {
    background = { image: imageBehind(element, given) };
    known.set(element, background);
  }
  return background;
}

function imageBehind(element: Element, given?: CSSStyleDeclaration): string | undefined {
  const graphics = ['IMG', 'CANVAS', 'OBJECT', 'IFRAME', 'VIDEO', 'SVG'];
  if (graphics.includes(element.nodeName.toUpperCase())) return 'imgNode';
  const style = given ?? window.getComputedStyle(element);
  const image = style.getPropertyValue('background-image');
  if (image === 'none') return undefined;
  return image.includes('gradient') ? 'bgGradient' : 'bgImage';
}

function fullyEncompasses(element: Element, rects: Rect | readonly Rect[]): boolean {
  const background = backgroundOf(element);
  background.box ??= boxOf(element);
  const { left, top, right, bottom } = background.box;
  const encompasses = (rect: Rect): boolean =>
    rect.top >= top && rect.bottom <= bottom && rect.left >= left && rect.right <= right;
  return Array.isArray(rects) ? rects.every(encompasses) : encompasses(rects as Rect);
}

function boxOf(element: Element): NonNullable<Background['box']> {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const style = window.getComputedStyle(element);
  const overflow = style.getPropertyValue('overflow');
  const scrolls = overflow === 'scroll' || overflow === 'auto';
  if (!scrolls && !(element instanceof window.HTMLHtmlElement)) return { left, top, right, bottom };
  const padding = (side: string): number =>
    Number.parseInt(style.getPropertyValue(`padding-${side}`), 10);
  return {
    left,
    top,
    right: left + element.scrollWidth + padding('left') + padding('right'),
    bottom: top + element.scrollHeight + padding('top') + padding('bottom'),
  };
}

/** Not to be changed. */
function backgroundColorOf(element: Element): Color {
  const background = backgroundOf(element);
  background.color ??= get_own_background_color_default(window.getComputedStyle(element));
  return background.color;
}

function isInline(element: Element): boolean {
  const background = backgroundOf(element);
  background.isInline ??= window.getComputedStyle(element).display === 'inline';
  return background.isInline;
}

function _getBackgroundColor(
  element: Element,
  bgElms: Element[],
  shadowOutlineEmMax: number,
): Color | null {
  const stack = _getBackgroundStack(element);
  if (!stack) return null;
  const textRects = get_visible_child_text_rects_default(element);
  const shadows =
    _getTextShadowColors(element, { minRatio: shadowOutlineEmMax, ignoreEdgeCount: true }) ?? [];
  for (let index = 0; index < stack.length; index += 1) {
    const background = stack[index] as Element;
    if (elementHasImage(background)) {
      bgElms.push(background);
      return null;
    }
    let alpha: number;
    try {
      ({ alpha } = backgroundColorOf(background));
    } catch (error) {
      if (error && incomplete_data_default.get('colorParse')) return null;
      throw error;
    }
    if (alpha === 0) continue;
    bgElms.push(background);
    if (!isInline(background) && !fullyEncompasses(background, textRects)) {
      incomplete_data_default.set('bgColor', 'elmPartiallyObscured');
      return null;
    }
    if (alpha === 1) break;
  }
  const flat = shadows.length === 0 ? flatBackground(element, stack) : null;
  if (flat !== null) return flat;
  const contexts = _getStackingContext(element, stack).map(_stackingContextToColor);
  const layers = [...getPageBackgroundColors(element, stack.includes(document.body)), ...contexts];
  if (shadows.length > 0) layers.push({ color: shadows.reduce(_flattenShadowColors) });
  const white = new color_default2(255, 255, 255, 1);
  const [first, ...others] = layers;
  if (first === undefined) return white;
  const color = others.reduce(
    (below, layer) => _flattenColors(layer.color, below, layer.blendMode),
    first.color,
  );
  return _flattenColors(color, white);
}

function sortPageBackground(stack: Element[]): Element[] {
  const { body, documentElement } = document;
  const bodyIndex = stack.indexOf(body);
  const { alpha: htmlAlpha } = backgroundColorOf(documentElement);
  if (bodyIndex > 1 && htmlAlpha === 0 && !elementHasImage(documentElement)) {
    stack.splice(bodyIndex, 1);
    stack.push(body);
    const htmlIndex = stack.indexOf(documentElement);
    if (htmlIndex > 0) {
      stack.splice(htmlIndex, 1);
      stack.push(documentElement);
    }
  }
  return stack;
}

function _flattenColors(source: Color, backdrop: Color, mode = 'normal'): Color {
  // What is drawn over something as it is needs no blending.
  const blended = mode === 'normal' ? source : blend(backdrop, source, mode);
  const over = (from: number, onto: number, mixed: number): number =>
    simpleAlphaCompositing(from, source.alpha, onto, backdrop.alpha, mixed * 255);
  const red = over(source.red, backdrop.red, blended.r);
  const green = over(source.green, backdrop.green, blended.g);
  const blue = over(source.blue, backdrop.blue, blended.b);
  const alpha = Math.min(Math.max(0, source.alpha + backdrop.alpha * (1 - source.alpha)), 1);
  if (alpha === 0) return new color_default2(red, green, blue, alpha);
  return new color_default2(
    Math.round(red / alpha),
    Math.round(green / alpha),
    Math.round(blue / alpha),
    alpha,
  );
}

const reason = `The background of each element that many texts lie on is read anew for each of them.`;

export const backgrounds: readonly Patch[] = [
  replaceFunction(reason, _getBackgroundColor, backgroundColorOf, isInline),
  replaceFunction(reason, elementHasImage, backgroundOf, imageBehind),
  replaceFunction(reason, fullyEncompasses, boxOf),
  replaceFunction(reason, sortPageBackground),
  replaceFunction(`Even what is drawn over something as it is was mixed with it.`, _flattenColors),
];
