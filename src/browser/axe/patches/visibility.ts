import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, replaceMemoized } from '../patch.ts';

interface Ancestry {
  readonly isAncestor?: boolean;
}

/** The same for all that is on the page. */
interface Viewport {
  readonly direction: string;
  readonly scroll: { left: number; top: number };
  readonly height: number;
  readonly rightEdge: number;
}

// axe's own.
declare const cache_default: RunCache;
declare const clipRegex: RegExp;
declare const clipPathRegex: RegExp;
declare const abstract_virtual_node_default: new () => VirtualNode;
declare function isVisibleToScreenReadersVirtual(vNode: VirtualNode | undefined): boolean;
declare function get_node_from_tree_default(node: Node): VirtualNode | undefined;
declare function _isFixedPosition(node: Element): boolean;
declare function get_scroll_offset_default(document: Document): { left: number; top: number };
declare function get_viewport_size_default(window: Window): { width: number; height: number };
declare function nativelyHidden(vNode: VirtualNode): boolean;
declare function displayHidden(vNode: VirtualNode): boolean;
declare function visibilityHidden(vNode: VirtualNode): boolean;
declare function contentVisibiltyHidden(vNode: VirtualNode, ancestry: Ancestry): boolean;
declare function detailsHidden(vNode: VirtualNode): boolean;
declare function opacityHidden(vNode: VirtualNode): boolean;
declare function overflowHidden(vNode: VirtualNode): boolean;
declare function areaHidden(
  vNode: VirtualNode,
  isVisible: typeof isVisibleOnScreenVirtual,
): boolean;
declare function isHiddenSelf(vNode: VirtualNode, isAncestor: boolean): boolean;
declare function isVisibleOnScreenVirtual(vNode: VirtualNode, isAncestor?: boolean): boolean;
declare function noParentScrolled(node: Element, offset: number): boolean;

function _getScroll(
  element: Element,
  buffer = 0,
): { elm: Element; top: number; left: number } | undefined {
  // What has a scrollbar is rarer than what is larger than its box, and cheaper to tell.
  const vNode = get_node_from_tree_default(element);
  const style = vNode ?? window.getComputedStyle(element);
  const scrolls = (property: string): boolean => {
    const value =
      'getPropertyValue' in style
        ? style.getPropertyValue(property)
        : style.getComputedStylePropertyValue(property);
    return value === 'scroll' || value === 'auto';
  };
  const isScrolled =
    (scrolls('overflow-x') && element.scrollWidth > element.clientWidth + buffer) ||
    (scrolls('overflow-y') && element.scrollHeight > element.clientHeight + buffer);
  if (!isScrolled) return undefined;
  return { elm: element, top: element.scrollTop, left: element.scrollLeft };
}

function scrollHidden(vNode: VirtualNode): boolean {
  if (!_getScroll(vNode.actualNode as Element)) return false;
  return ['height', 'width'].some(
    (side) => Number.parseInt(vNode.getComputedStylePropertyValue(side), 10) === 0,
  );
}

function clipHidden(vNode: VirtualNode): boolean {
  const clip = vNode.getComputedStylePropertyValue('clip');
  const clipPath = vNode.getComputedStylePropertyValue('clip-path');
  // Most elements are not clipped.
  if (clip === 'auto' && clipPath === 'none') return false;
  const sides = clipRegex.exec(clip)?.slice(1).map(Number);
  const position = vNode.getComputedStylePropertyValue('position');
  if (sides !== undefined && (position === 'fixed' || position === 'absolute')) {
    const [top = 0, right = 0, bottom = 0, left = 0] = sides;
    return bottom - top <= 0 && right - left <= 0;
  }
  const [, shape, size = ''] = clipPathRegex.exec(clipPath) ?? [];
  if (shape === 'inset') return Number.parseInt(size, 10) >= 50;
  return shape === 'circle' && Number.parseInt(size, 10) === 0;
}

function readViewport(): Viewport {
  const { documentElement, body } = document;
  const { width, height } = get_viewport_size_default(window);
  return {
    direction: window.getComputedStyle(body ?? documentElement).getPropertyValue('direction'),
    scroll: get_scroll_offset_default(document),
    height,
    rightEdge: Math.max(documentElement.scrollWidth, width),
  };
}

function nodeOf(element: VirtualNode | Element): VirtualNode | undefined {
  return element instanceof abstract_virtual_node_default
    ? element
    : get_node_from_tree_default(element);
}

function _isVisibleOnScreen(element: VirtualNode | Element): boolean {
  return isVisibleOnScreenVirtual(nodeOf(element) as VirtualNode);
}

function _isVisibleToScreenReaders(element: VirtualNode | Element): boolean {
  return isVisibleToScreenReadersVirtual(nodeOf(element));
}

function isOffscreen(
  element: VirtualNode | Element,
  { isAncestor }: Ancestry = {},
): boolean | undefined {
  if (isAncestor) return false;
  const vNode = nodeOf(element);
  const domNode = (
    vNode !== undefined && vNode === element ? vNode.actualNode : element
  ) as Element;
  if (!domNode) return undefined;
  const isFixed = _isFixedPosition(domNode);
  const { direction, scroll, height, rightEdge } = cache_default.get('viewport', readViewport);
  const rect = vNode?.boundingClientRect ?? domNode.getBoundingClientRect();
  const x = isFixed ? 0 : scroll.left;
  const y = isFixed ? 0 : scroll.top;
  const left = rect.left + x;
  const right = rect.right + x;
  const top = rect.top + y;
  const bottom = rect.bottom + y;
  if ((top === 0 && bottom === 0) || (left === 0 && right === 0)) return false;
  if (bottom <= 0) {
    const { position } = window.getComputedStyle(domNode);
    if (noParentScrolled(domNode, bottom) || position === 'absolute') return true;
  }
  if (isFixed && top >= height) return true;
  if ((isFixed || direction === 'rtl') && left >= rightEdge) return true;
  return (isFixed || direction === 'ltr') && right <= 0;
}

function isHiddenSelfMemoized(vNode: VirtualNode, isAncestor: boolean): boolean {
  if (nativelyHidden(vNode)) return true;
  if (!vNode.actualNode) return false;
  return (
    displayHidden(vNode) ||
    (isAncestor ? contentVisibiltyHidden(vNode, { isAncestor }) : visibilityHidden(vNode)) ||
    detailsHidden(vNode) ||
    !vNode.actualNode.isConnected
  );
}

function isVisibleOnScreenMemoized(vNode: VirtualNode, isAncestor?: boolean): boolean {
  if (vNode.actualNode && vNode.props.nodeName === 'area') {
    return !areaHidden(vNode, isVisibleOnScreenVirtual);
  }
  if (isHiddenSelf(vNode, isAncestor ?? false)) return false;
  if (vNode.actualNode) {
    if (opacityHidden(vNode) || scrollHidden(vNode) || clipHidden(vNode)) return false;
    if (!isAncestor && (overflowHidden(vNode) || isOffscreen(vNode))) return false;
  }
  return vNode.parent ? isVisibleOnScreenVirtual(vNode.parent, true) : true;
}

const reason = `Each way of being hidden is asked for through a list, of elements that aren't meant by it too.`;

const wrapped = `An object is made to find the node of an element, also of what is the node.`;

export const visibility: readonly Patch[] = [
  replaceFunction(
    `Whether an element scrolls is asked of every element, and each time the page is measured for it.`,
    _getScroll,
  ),
  replaceFunction(`Height and width are measured also where they can't matter.`, scrollHidden),
  replaceFunction(`Each element is searched for a clipping that few have.`, clipHidden),
  replaceFunction(
    `What is the same for the whole page is measured for each element.`,
    isOffscreen,
    readViewport,
  ),
  replaceFunction(wrapped, _isVisibleOnScreen, nodeOf),
  replaceFunction(wrapped, _isVisibleToScreenReaders),
  replaceMemoized(reason, 'isHiddenSelf', isHiddenSelfMemoized),
  replaceMemoized(reason, 'isVisibleOnScreenVirtual', isVisibleOnScreenMemoized),
];
