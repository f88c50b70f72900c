import type { Patch } from '../patch.ts';

// axe's own.
declare let nodeIndex2: number;
declare const abstract_virtual_node_default: new () => object;
declare const cache_default: { get(key: 'nodeMap'): WeakMap<Node, object> | undefined };
declare function toRect(x: number, y: number, width: number, height: number): object;
declare function rectsOf(element: Element): { width: number }[];
declare function is_xhtml_default(document: Document | null): boolean;
declare function valid_input_type_default(): string[];
declare function _isFocusable(node: Node): boolean;
declare function _getTabbableElements(node: object): object[];
declare function _getElementInternals(node: Node): object | undefined;

function virtualNodeClass() {
  /** The fields of form controls are read when they are asked for: most elements have none. */
  class Props {
    readonly #node: Element & Record<string, unknown>;
    readonly nodeType: number;
    readonly nodeName: string;
    readonly id: string;
    readonly type: string | undefined;
    readonly nodeValue: string | null;

    constructor(node: Node, nodeName: string, type: string | undefined) {
      this.#node = node as Element & Record<string, unknown>;
      this.nodeType = node.nodeType;
      this.nodeName = nodeName;
      this.id = this.#node.id;
      this.type = type;
      this.nodeValue = node.nodeValue;
    }
    get multiple() {
      return this.#node['multiple'];
    }
    get value() {
      return this.#node['value'];
    }
    get selected() {
      return this.#node['selected'];
    }
    get checked() {
      return this.#node['checked'];
    }
    get indeterminate() {
      return this.#node['indeterminate'];
    }
  }
  const properties = new Map<string, number>();
  return class VirtualNode extends abstract_virtual_node_default {
    readonly shadowId: string | undefined;
    children: object[] = [];
    readonly actualNode: HTMLElement;
    parent: object | null | undefined;
    readonly nodeIndex: number;
    readonly _isHidden = null;
    readonly _cache = {};
    _isInTree = false;
    readonly props: Props;
    readonly _isXHTML: boolean;
    readonly _type: string | undefined;
    _results = null;
    _resultsOf = null;
    #attrNames: string[] | undefined;
    #style: CSSStyleDeclaration | undefined;
    /** By the number of the property. */
    #styles: (string | undefined)[] | undefined;
    #isFocusable: boolean | undefined;
    #tabbableElements: object[] | undefined;
    #clientRects: object[] | undefined;
    #boundingClientRect: object | undefined;
    #elementInternals: object | null | undefined = null;

    constructor(node: HTMLElement, parent?: object | null, shadowId?: string) {
      super();
      this.shadowId = shadowId;
      this.actualNode = node;
      this.parent = parent;
      if (!parent) nodeIndex2 = 0;
      this.nodeIndex = nodeIndex2++;
      this._isXHTML = is_xhtml_default(node.ownerDocument);
      const name = node.nodeName.toLowerCase();
      if (name === 'input') {
        const type = node.getAttribute('type');
        const known = this._isXHTML ? type : (type ?? '').toLowerCase();
        this._type = valid_input_type_default().includes(known as string)
          ? (known as string)
          : 'text';
      }
      this.props = new Props(node, this._isXHTML ? node.nodeName : name, this._type);
      cache_default.get('nodeMap')?.set(node, this);
    }
    attr(name: string) {
      const { actualNode } = this;
      return typeof actualNode.getAttribute === 'function' ? actualNode.getAttribute(name) : null;
    }
    hasAttr(name: string) {
      const { actualNode } = this;
      return typeof actualNode.hasAttribute === 'function' && actualNode.hasAttribute(name);
    }
    get attrNames() {
      return (this.#attrNames ??= Element.prototype.getAttributeNames.call(this.actualNode));
    }
    get computedStyle() {
      return (this.#style ??= globalThis.getComputedStyle(this.actualNode));
    }
    getComputedStylePropertyValue(property: string) {
      let index = properties.get(property);
      if (index === undefined) properties.set(property, (index = properties.size));
      const styles = (this.#styles ??= []);
      while (styles.length <= index) styles.push(undefined);
      return (styles[index] ??= this.computedStyle.getPropertyValue(property));
    }
    get isFocusable() {
      return (this.#isFocusable ??= _isFocusable(this.actualNode));
    }
    get tabbableElements() {
      return (this.#tabbableElements ??= _getTabbableElements(this));
    }
    get clientRects() {
      return (this.#clientRects ??= rectsOf(this.actualNode).filter(({ width }) => width > 0));
    }
    get boundingClientRect() {
      if (this.#boundingClientRect === undefined) {
        const { x, y, width, height } = this.actualNode.getBoundingClientRect();
        this.#boundingClientRect = toRect(x, y, width, height);
      }
      return this.#boundingClientRect;
    }
    get elementInternals() {
      if (this.#elementInternals === null) {
        this.#elementInternals = _getElementInternals(this.actualNode);
      }
      return this.#elementInternals;
    }
    set elementInternals(value) {
      this.#elementInternals = value;
    }
  };
}

export const virtualNode: Patch = {
  reason: `What is remembered of an element is looked up by texts put together for each look-up, and fields of
    form controls are read from everything.`,
  start: 'var VirtualNode = function(_abstract_virtual_nod) {',
  replacement: `var VirtualNode = (${virtualNodeClass.toString()})();`,
};
