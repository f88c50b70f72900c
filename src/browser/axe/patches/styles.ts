import type { VirtualNode } from '../internals.ts';

// axe's own.
declare function get_node_from_tree_default(node: Element): VirtualNode | null | undefined;

/** The browser gives a new object for each call, which all say the same at any time. */
export function styleOf(element: Element, pseudo?: string | null): CSSStyleDeclaration {
  const known = pseudo ? null : get_node_from_tree_default(element);
  return known?.computedStyle ?? globalThis.getComputedStyle(element, pseudo);
}
