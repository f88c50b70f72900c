import type { Rect, RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

/** An element with something drawn before or after its content. */
interface Decorated {
  readonly vNode: VirtualNode;
  readonly area: number;
}

// axe's own.
declare const cache_default: RunCache;
declare function getPseudoElementArea(vNode: VirtualNode, pseudo: ':before' | ':after'): number;
declare function get_accessible_refs_default(vNode: VirtualNode): Element[];
declare function get_node_from_tree_default(node: Node): VirtualNode | undefined;
declare function token_list_default(text: string): string[];
declare function is_disabled_default(vNode: VirtualNode | undefined): boolean;
declare function _isInert(vNode: VirtualNode): boolean;
declare function find_up_virtual_default(vNode: VirtualNode, selector: string): Element | null;
declare function get_root_node_default2(node: Node): Document;
declare function query_selector_all_default(vNode: VirtualNode, selector: string): VirtualNode[];
declare function hasRealTextChildren(vNode: VirtualNode): boolean;
declare function getContentRects(text: Node): readonly Rect[];
declare function visually_overlaps_default(rect: Partial<Rect>, node: Element): boolean;
declare function get_overflow_hidden_ancestors_default(vNode: VirtualNode): VirtualNode[];
declare function _rectsOverlap(a: Rect, b: Rect): boolean;

function findPseudoElement(
  vNode: VirtualNode,
  {
    ignorePseudo = false,
    pseudoSizeThreshold = 0.25,
  }: { ignorePseudo?: boolean; pseudoSizeThreshold?: number },
): VirtualNode | undefined {
  if (ignorePseudo) return undefined;
  const { width, height } = vNode.boundingClientRect;
  const minimum = width * height * pseudoSizeThreshold;
  let decorated = nearestDecorated(vNode);
  while (decorated !== null && !(decorated.area > minimum)) {
    decorated = nearestDecorated(decorated.vNode.parent);
  }
  return decorated?.vNode;
}

/** The element itself or the nearest that it is in. */
function nearestDecorated(vNode: VirtualNode | null | undefined): Decorated | null {
  if (!vNode) return null;
  const known = cache_default.get('decorated', () => new Map<VirtualNode, Decorated | null>());
  let decorated = known.get(vNode);
  if (decorated === undefined) {
    const area = decoratedArea(vNode, ':before') + decoratedArea(vNode, ':after');
    decorated = area > 0 ? { vNode, area } : nearestDecorated(vNode.parent);
    known.set(vNode, decorated);
  }
  return decorated;
}

/** In square pixels; most elements draw nothing. */
function decoratedArea(vNode: VirtualNode, pseudo: ':before' | ':after'): number {
  const { content } = window.getComputedStyle(vNode.actualNode as Element, pseudo);
  return content === 'none' ? 0 : getPseudoElementArea(vNode, pseudo);
}

type Control = HTMLElement & { readonly options: ArrayLike<unknown>; readonly htmlFor: string };

function colorContrastMatches(node: Control, vNode: VirtualNode): boolean {
  const { nodeName, type } = vNode.props;
  if (nodeName === 'option') return false;
  if (nodeName === 'select' && node.options.length === 0) return false;
  const withoutText = ['hidden', 'range', 'color', 'checkbox', 'radio', 'image'];
  if (nodeName === 'input' && withoutText.includes(type as string)) return false;
  if (is_disabled_default(vNode) || _isInert(vNode)) return false;
  if (nodeName === 'input' || nodeName === 'select' || nodeName === 'textarea') {
    const indent = Number.parseInt(vNode.getComputedStylePropertyValue('text-indent'), 10);
    if (!indent) return true;
    const { top, bottom, left, right } = node.getBoundingClientRect();
    const rect = { top, bottom, left: left + indent, right: right + indent };
    return visually_overlaps_default(rect, node);
  }
  if (labelsDisabledControl(node, vNode)) return false;
  const labelled = controlsLabelledAround(vNode);
  if (labelled.length > 0 && labelled.every(is_disabled_default)) return false;
  if (!hasRealTextChildren(vNode)) return false;
  if (!Number.parseFloat(vNode.getComputedStylePropertyValue('font-size'))) return false;
  const lastText = vNode.children.findLast(
    ({ actualNode }) => actualNode.nodeType === 3 && /\S/.test(actualNode.nodeValue ?? ''),
  );
  if (lastText === undefined) return false;
  const clipping = get_overflow_hidden_ancestors_default(vNode);
  return getContentRects(lastText.actualNode).some(
    (rect) =>
      visually_overlaps_default(rect, node) &&
      (clipping.length === 0 ||
        clipping.some(({ boundingClientRect }) => _rectsOverlap(rect, boundingClientRect))),
  );
}

function labelsDisabledControl(node: Control, vNode: VirtualNode): boolean {
  const label = find_up_virtual_default(vNode, 'label') as Control | null;
  if (label === null && vNode.props.nodeName !== 'label') return false;
  const labelNode = label ?? node;
  if (labelNode.htmlFor) {
    const control = get_root_node_default2(labelNode).getElementById(labelNode.htmlFor);
    const controlNode = control && get_node_from_tree_default(control);
    if (controlNode && is_disabled_default(controlNode)) return true;
  }
  const [control] = query_selector_all_default(
    label ? (get_node_from_tree_default(label) as VirtualNode) : vNode,
    'input:not([type="hidden"],[type="image"],[type="button"],[type="submit"],[type="reset"]), select, textarea',
  );
  return control !== undefined && is_disabled_default(control);
}

/** What refers to the element, or to one that it is in, as its label. */
function controlsLabelledAround(vNode: VirtualNode): (VirtualNode | undefined)[] {
  const known = cache_default.get(
    'controlsLabelledAround',
    () => new Map<VirtualNode, (VirtualNode | undefined)[]>(),
  );
  let controls = known.get(vNode);
  if (controls === undefined) {
    controls = vNode.parent ? controlsLabelledAround(vNode.parent) : [];
    const { id } = vNode.props;
    if (id) {
      const own = get_accessible_refs_default(vNode).filter((control) =>
        token_list_default(control.getAttribute('aria-labelledby') ?? '').includes(id),
      );
      if (own.length > 0)
        controls = [...own.map((node) => get_node_from_tree_default(node)), ...controls];
    }
    known.set(vNode, controls);
  }
  return controls;
}

export const contrast: readonly Patch[] = [
  replaceFunction(
    `For each text all elements that it is in are asked for what they draw before and after their content.`,
    findPseudoElement,
    nearestDecorated,
    decoratedArea,
  ),
  replaceFunction(
    `For each text all elements that it is in are asked for what they label.`,
    colorContrastMatches,
    labelsDisabledControl,
    controlsLabelledAround,
  ),
];
