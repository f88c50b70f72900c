import type { VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';

interface AttributeStandard {
  readonly type: string;
  readonly prop?: string;
}

interface AriaValue {
  readonly value: string | null;
  readonly source: string | null;
}

type AriaNode = VirtualNode & {
  readonly elementInternals?: Record<string, unknown>;
  attr(name: string): string | null;
};

// axe's own.
declare const standards_default: { ariaAttrs: Record<string, AttributeStandard> };
declare const idrefTypes: readonly string[];
declare const reservedNames: readonly string[];
declare const validLocalNameRegex: RegExp;
declare function _nodeLookup(node: unknown): { vNode: AriaNode };
declare function original_getAriaValue(node: unknown, name: string, options?: object): AriaValue;
declare function sanitize_default(text: string | null): string;
declare function token_list_default(text: string): string[];

function _getAriaValue(node: unknown, name: string, options?: object): AriaValue {
  const standard = standards_default.ariaAttrs[name];
  if (standard !== undefined && !idrefTypes.includes(standard.type)) {
    const { vNode } = _nodeLookup(node);
    const { prop } = standard;
    const actualNode = vNode.actualNode as (Node & Record<string, unknown>) | undefined;
    const property = prop && actualNode?.[prop];
    const isSet = vNode.attr(name) ?? property ?? (prop && vNode.elementInternals?.[prop]);
    if (isSet === null || isSet === undefined) return { value: null, source: null };
  }
  return original_getAriaValue(node, name, options);
}

function _isValidCustomElementName(name: string): boolean {
  // Hardly any name has a hyphen.
  return (
    name.includes('-') &&
    !reservedNames.includes(name) &&
    validLocalNameRegex.test(name) &&
    /^[a-z]/.test(name) &&
    !/[A-Z]/.test(name)
  );
}

function cacheIdRefs(
  root: Element | ShadowRoot,
  idRefs: Map<string, Element[]>,
  attributes: readonly string[],
): void {
  const refer = (id: string, element: Element): void => {
    const elements = idRefs.get(id);
    if (elements === undefined) idRefs.set(id, [element]);
    else elements.push(element);
  };
  const elements = [...root.querySelectorAll('*')];
  if (root instanceof Element) elements.unshift(root);
  for (const element of elements) {
    if (!element.hasAttributes()) continue;
    const isLabel = element.nodeName.toUpperCase() === 'LABEL';
    for (const name of Element.prototype.getAttributeNames.call(element)) {
      const value = element.getAttribute(name);
      if (name === 'for' && isLabel) refer(value ?? '', element);
      if (!attributes.includes(name)) continue;
      const ids = sanitize_default(value);
      if (ids) for (const id of token_list_default(ids)) refer(id, element);
    }
  }
}

export const aria: readonly Patch[] = [
  wrapFunction(`Three ways to say something are gone through where none was used.`, _getAriaValue),
  replaceFunction(
    `Each element's name is matched against all characters that a custom one may have.`,
    _isValidCustomElementName,
  ),
  replaceFunction(
    `Each element is asked for each attribute that can refer to another, also where it has none.`,
    cacheIdRefs,
  ),
];
