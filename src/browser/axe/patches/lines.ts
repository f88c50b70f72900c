import type { Rect, RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, replaceMemoized, wrapFunction } from '../patch.ts';

// axe's own.
declare const cache_default: RunCache;
declare function get_node_from_tree_default(node: Node): VirtualNode | undefined;
declare function get_overflow_hidden_ancestors_default(vNode: VirtualNode): VirtualNode[];
declare function isOutsideNodeBounds(rects: readonly Rect[], nodeRect: Rect): boolean;
declare function filterHiddenRects(rects: readonly Rect[], clipping: VirtualNode[]): Rect[];
declare function getPositionOrder(vNode: VirtualNode): number;
declare function rectsOf(source: Range): Rect[];
declare function originalvisuallyOverlaps(rect: Rect, parent: Element): boolean;
declare function original_visuallySort(a: VirtualNode, b: VirtualNode): number;
declare function original_getTextShadowColors(node: Element, options: object): object[] | null;

function getContentRects(text: Node): readonly Rect[] {
  const known = cache_default.get('contentRects', () => new Map<Node, readonly Rect[]>());
  let rects = known.get(text);
  if (rects === undefined) {
    const range = cache_default.get('textRange', () => document.createRange());
    range.selectNodeContents(text);
    rects = rectsOf(range);
    known.set(text, rects);
  }
  return rects;
}

function getVisibleChildTextRectsMemoized(vNode: VirtualNode): Rect[] {
  const { actualNode, boundingClientRect } = vNode;
  const clipping = get_overflow_hidden_ancestors_default(vNode);
  const visible: Rect[] = [];
  for (let text = actualNode.firstChild; text !== null; text = text.nextSibling) {
    if (text.nodeType !== 3 || !/\S/.test(text.nodeValue ?? '')) continue;
    const rects = getContentRects(text);
    if (isOutsideNodeBounds(rects, boundingClientRect)) continue;
    visible.push(...filterHiddenRects(rects, clipping));
  }
  return visible.length > 0 ? visible : filterHiddenRects([boundingClientRect], clipping);
}

function visuallyOverlaps(rect: Rect, parent: Element): boolean {
  const box = get_node_from_tree_default(parent)?.boundingClientRect;
  const overlaps =
    box !== undefined &&
    rect.left <= box.right &&
    rect.top <= box.bottom &&
    rect.right >= box.left &&
    rect.bottom >= box.top;
  return overlaps || originalvisuallyOverlaps(rect, parent);
}

function _visuallySort(a: VirtualNode, b: VirtualNode): number {
  if (!isInDocument(a) || !isInDocument(b)) return original_visuallySort(a, b);
  const length = Math.max(a._stackingOrder.length, b._stackingOrder.length);
  for (let index = 0; index < length; index += 1) {
    const ofA = a._stackingOrder[index];
    const ofB = b._stackingOrder[index];
    if (ofB === undefined) return -1;
    if (ofA === undefined) return 1;
    if (ofB.stackLevel > ofA.stackLevel) return 1;
    if (ofB.stackLevel < ofA.stackLevel) return -1;
    if (ofB.treeOrder !== ofA.treeOrder) return ofB.treeOrder - ofA.treeOrder;
  }
  const position = a.actualNode.compareDocumentPosition(b.actualNode);
  const inDocument = position & Node.DOCUMENT_POSITION_FOLLOWING ? 1 : -1;
  const nests = Node.DOCUMENT_POSITION_CONTAINS | Node.DOCUMENT_POSITION_CONTAINED_BY;
  if (position & nests) return inDocument;
  const orderOfA = getPositionOrder(a);
  const orderOfB = getPositionOrder(b);
  return orderOfA === orderOfB ? inDocument : orderOfB - orderOfA;
}

/** Not within a shadow tree, and placed already. */
function isInDocument({ _isInTree, shadowId, _stackingOrder }: VirtualNode): boolean {
  return _isInTree && shadowId === undefined && _stackingOrder !== undefined;
}

function _getTextShadowColors(node: Element, options: object): object[] | null {
  const style = get_node_from_tree_default(node);
  if (style?.getComputedStylePropertyValue('text-shadow') === 'none') return [];
  return original_getTextShadowColors(node, options);
}

export const lines: readonly Patch[] = [
  replaceFunction(`Where the lines of a text are is measured twice.`, getContentRects),
  replaceMemoized(
    `A text is rewritten to tell whether there is any.`,
    'getVisibleChildTextRectsVirtual',
    getVisibleChildTextRectsMemoized,
  ),
  wrapFunction(
    `How far an element scrolls is measured also where a text lies within its box.`,
    visuallyOverlaps,
  ),
  wrapFunction(
    `Each two elements are asked for their roots, which are the same outside of shadow trees.`,
    _visuallySort,
    isInDocument,
  ),
  wrapFunction(`Styles are looked up anew for shadows that few texts have.`, _getTextShadowColors),
];
