import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';

interface NameContext {
  readonly startNode?: VirtualNode;
  processed?: Set<VirtualNode>;
}

interface SpecOptions {
  readonly noMatchAccessibleName?: boolean;
}

// axe's own.
declare const cache_default: RunCache;
declare function get_root_node_default2(node: Node): ParentNode;
declare function sanitize_default(text: string | null): string;
declare function original_accessibleTextVirtual(vNode: VirtualNode, context: NameContext): string;
declare function originalgetElementSpec(vNode: VirtualNode, options: SpecOptions): object;
declare function shouldIgnoreIconLigature(vNode: VirtualNode, context: NameContext): boolean;

function _accessibleTextVirtual(vNode: VirtualNode, context: NameContext = {}): string {
  // A text is named by nothing else than itself.
  if (vNode?.props.nodeType !== 3) return original_accessibleTextVirtual(vNode, context);
  if (shouldIgnoreIconLigature(vNode, context)) return '';
  const isStart = (context.startNode ?? vNode) === vNode;
  return isStart
    ? sanitize_default(vNode.actualNode.nodeValue)
    : (vNode.actualNode.nodeValue ?? '');
}

function alreadyProcessed(vNode: VirtualNode, context: NameContext): boolean {
  context.processed ??= new Set();
  if (context.processed.has(vNode)) return true;
  context.processed.add(vNode);
  return false;
}

function getElementSpec(vNode: VirtualNode, options: SpecOptions = {}): object {
  if (!options.noMatchAccessibleName) return originalgetElementSpec(vNode, options);
  const known = cache_default.get('elementSpecs', () => new Map<VirtualNode, object>());
  let spec = known.get(vNode);
  if (spec === undefined) known.set(vNode, (spec = originalgetElementSpec(vNode, options)));
  return spec;
}

function findElmsInContext({
  context,
  value,
  attr,
  elm = '',
}: {
  context: Node;
  value: string;
  attr: string;
  elm?: string;
}): Element[] {
  const isRoot = context.nodeType === 9 || context.nodeType === 11;
  const root = isRoot ? (context as Document) : get_root_node_default2(context);
  const indexes = cache_default.get(
    'elementsByAttribute',
    () => new Map<ParentNode, Map<string, Map<string, Element[]>>>(),
  );
  let ofRoot = indexes.get(root);
  if (ofRoot === undefined) indexes.set(root, (ofRoot = new Map()));
  const selector = `${elm}[${attr}]`;
  let byValue = ofRoot.get(selector);
  if (byValue === undefined) {
    byValue = Map.groupBy(
      root.querySelectorAll(selector),
      (element) => element.getAttribute(attr) ?? '',
    );
    ofRoot.set(selector, byValue);
  }
  // As it would be read in a selector.
  return [...(byValue.get(value.replaceAll('\0', '\uFFFD')) ?? [])];
}

export const names: readonly Patch[] = [
  wrapFunction(
    `Each text in a name is tried for labels, roles and titles, which only elements have.`,
    _accessibleTextVirtual,
  ),
  {
    reason: `All that a name is made of so far is gone through for each element that may add to it.`,
    start: '_accessibleTextVirtual.alreadyProcessed = function alreadyProcessed(',
    replacement: `_accessibleTextVirtual.alreadyProcessed = ${alreadyProcessed.toString()};`,
  },
  wrapFunction(
    `What HTML says of an element is put together anew for each name it is part of.`,
    getElementSpec,
  ),
  replaceFunction(`The whole page is searched for the labels of each field.`, findElmsInContext),
];
