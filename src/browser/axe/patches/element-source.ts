import type { VirtualNode } from '../internals.ts';
import { type Patch, remove } from '../patch.ts';

interface Spec {
  readonly selector?: unknown[];
  readonly source?: string;
  readonly ancestry?: unknown[];
  readonly xpath?: unknown[];
  readonly nodeIndexes?: number[];
}

interface Options {
  readonly elementRef?: boolean;
  readonly absolutePaths?: boolean;
}

// axe's own.
declare const axe: { _audit: { noHtml: boolean } };
declare const CACHE_KEY: string;
declare const abstract_virtual_node_default: new () => VirtualNode;
declare const cache_default: { get<Value>(key: string, create?: () => Value): Value | undefined };
declare function get_node_from_tree_default(node: Node): VirtualNode | undefined;
declare function _getElementSource(node: Node): string;
declare function _getSelector(node: Node, options: object | undefined): unknown;
declare function _getAncestry(node: Node): unknown;
declare function get_xpath_default(node: Node): unknown;

function dqElementClass() {
  return class DqElement {
    readonly spec!: Spec;
    readonly fromFrame!: boolean;
    readonly nodeIndexes!: number[];
    readonly _element!: Node;
    readonly _virtualNode: VirtualNode | undefined;
    readonly _includeElementInJson: boolean | undefined;
    readonly _options: object | undefined;
    #source: string | null | undefined;

    // oxlint-disable-next-line typescript/consistent-return -- as axe does
    constructor(elm: VirtualNode | Node, options?: Options | null, spec?: Spec | null) {
      const known = cache_default.get('DqElementCache', () => new WeakMap<object, DqElement>());
      const isCacheable = !options && !spec && elm !== null && typeof elm === 'object';
      const knownElement = isCacheable ? known?.get(elm) : undefined;
      // oxlint-disable-next-line eslint/no-constructor-return -- as axe does
      if (knownElement !== undefined) return knownElement;
      const { elementRef, absolutePaths } = options ?? cache_default.get<Options>(CACHE_KEY) ?? {};
      this.spec = spec ?? {};
      if (elm instanceof abstract_virtual_node_default) {
        this._virtualNode = elm;
        this._element = elm.actualNode;
      } else {
        this._element = elm;
        this._virtualNode = get_node_from_tree_default(elm);
      }
      this.fromFrame = (this.spec.selector?.length ?? 0) > 1;
      this._includeElementInJson = elementRef;
      if (absolutePaths) this._options = { toRoot: true };
      this.nodeIndexes = Array.isArray(this.spec.nodeIndexes)
        ? this.spec.nodeIndexes
        : typeof this._virtualNode?.nodeIndex === 'number'
          ? [this._virtualNode.nodeIndex]
          : [];
      if (isCacheable) known?.set(elm, this);
    }
    get source(): string | null {
      if (this.#source === undefined) {
        this.#source = axe._audit.noHtml
          ? null
          : (this.spec.source ?? _getElementSource(this._element));
      }
      return this.#source;
    }
    get selector(): unknown {
      return this.spec.selector || [_getSelector(this.element, this._options)];
    }
    get ancestry(): unknown {
      return this.spec.ancestry || [_getAncestry(this.element)];
    }
    get xpath(): unknown {
      return this.spec.xpath || [get_xpath_default(this.element)];
    }
    get element() {
      return this._element;
    }
    toJSON() {
      const { selector, source, xpath, ancestry, nodeIndexes, fromFrame } = this;
      const spec = { selector, source, xpath, ancestry, nodeIndexes, fromFrame };
      return this._includeElementInJson ? { ...spec, element: this._element } : spec;
    }
  };
}

const reason = `Each element that a rule looks at is written out as HTML with all that is in it, also where it
  passes and is not shown.`;

export const elementSource: readonly Patch[] = [
  {
    reason,
    start: 'var DqElement = function DqElement2(elm, options, spec) {',
    replacement: `var DqElement = (${dqElementClass.toString()})();`,
  },
  remove(reason, 'DqElement.prototype = {'),
];
