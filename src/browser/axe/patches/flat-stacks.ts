import type { Color, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

/*
 * The background of a text is mixed from everything that it lies on, and the text with that again: for
 * a text in ten elements that is thirty colours, most of them transparent. Where nothing blends there
 * is nothing to mix: of what is drawn one over the other, the last that is opaque is seen as it is. And
 * axe draws in the order of the stack, which it has sorted by the stacking contexts already.
 */

// axe's own.
declare const color_default2: new (
  red: number,
  green: number,
  blue: number,
  alpha: number,
) => Color;
declare const incomplete_data_default: {
  get(key: string): string | undefined;
  set(key: string, reason: string | undefined): void;
};
declare function get_node_from_tree_default(node: Node): VirtualNode | undefined;
declare function backgroundColorOf(element: Element): Color;
declare function getStrokeColor(style: CSSStyleDeclaration, options: object): Color | null;
declare function getTextColor(style: CSSStyleDeclaration): Color;
declare function _getTextShadowColors(element: Element, options: object): Color[] | null;
declare function _getBackgroundColor2(element: Element, bgElms: Element[]): Color | null;
declare function _getStackingContext(element: Element): object[];
declare function findNodeInContexts(contexts: object[], element: Element): object | undefined;
declare function calculateBlendedForegroundColor(
  color: Color,
  context: object | undefined,
  contexts: object[],
): Color;
declare function _flattenColors(source: Color, backdrop: Color): Color;

/** The colour that is seen of the stack; null where it has to be mixed. */
function flatBackground(element: Element, stack: readonly Element[]): Color | null {
  if (!stack.every(isPlain)) return null;
  // For the text that is drawn on it.
  get_node_from_tree_default(element)!._cache.isOnFlat = true;
  // What lies behind the page comes into it.
  if (!stack.includes(document.body)) return null;
  // All are read: one that can't be is an error, also where it is hidden.
  const colors = stack.map(backgroundColorOf);
  const top = colors.find(({ alpha }) => alpha !== 0);
  if (top === undefined) return new color_default2(255, 255, 255, 1);
  return top.alpha === 1 ? opaque(top) : null;
}

/** Whether nothing that the element is drawn in shines through or mixes with what is behind it. */
function isPlain(element: Element): boolean {
  const vNode = get_node_from_tree_default(element);
  if (vNode === undefined) return false;
  vNode._cache.isPlain ??=
    !blends(vNode) &&
    vNode._stackingOrder.every((context) => context.vNode === null || !blends(context.vNode));
  return vNode._cache.isPlain;
}

function blends(vNode: VirtualNode): boolean {
  return (
    vNode.getComputedStylePropertyValue('opacity') !== '1' ||
    vNode.getComputedStylePropertyValue('mix-blend-mode') !== 'normal'
  );
}

/** As it comes out of being mixed: its channels are whole numbers. */
function opaque({ red, green, blue }: Color): Color {
  return new color_default2(red, green, blue, 1);
}

function _getForegroundColor(
  element: Element,
  _: unknown,
  bgColor: Color | null | undefined,
  options = {},
): Color | null {
  const style = window.getComputedStyle(element);
  const layers: Color[] = [];
  try {
    const stroke = getStrokeColor(style, options);
    if (stroke !== null) layers.push(stroke);
    if (stroke?.alpha !== 1) {
      const text = getTextColor(style);
      layers.push(text);
      if (text.alpha !== 1) layers.push(...(_getTextShadowColors(element, { minRatio: 0 }) ?? []));
    }
  } catch (error) {
    if (error && incomplete_data_default.get('colorParse')) return null;
    throw error;
  }
  const color = layers.reduce((source, backdrop) => _flattenColors(source, backdrop));
  if ((bgColor ?? _getBackgroundColor2(element, [])) === null) {
    incomplete_data_default.set('fgColor', incomplete_data_default.get('bgColor'));
    return null;
  }
  const isOnFlat = get_node_from_tree_default(element)?._cache.isOnFlat === true;
  if (isOnFlat && color.alpha === 1) return opaque(color);
  const contexts = _getStackingContext(element);
  const context = findNodeInContexts(contexts, element);
  const mixed = calculateBlendedForegroundColor(color, context, contexts);
  return _flattenColors(mixed, new color_default2(255, 255, 255, 1));
}

export const flatStacks: Patch = replaceFunction(
  `Each text is mixed with all that it lies on, opaque as it may be.`,
  _getForegroundColor,
  flatBackground,
  isPlain,
  blends,
  opaque,
);
