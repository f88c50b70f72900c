import type { VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

/** What tells the elements of the page apart. */
export interface SelectorData {
  /** How often each occurs in the page. */
  readonly tags: Record<string, number>;
  readonly classes: Record<string, number>;
  readonly attributes: Record<string, number>;
  readonly _suffixInfo: Map<string, { rawName: string; suffix: string }>;
  readonly _rootMap: Map<Node, number>;
  readonly _elmToIdx: WeakMap<Node, number>;
  readonly _idCounts: Record<string, number>[];
  readonly _idToIdx: Record<string, number>[];
  readonly _nodeRecords: { rootId: number }[];
}

/** While it is gathered. */
export interface IndexState {
  readonly selectorData: SelectorData;
  readonly tagLists: Map<string, number[]>;
  readonly attrLists: Map<string, number[]>;
  readonly classLists: Map<string, number[]>;
  readonly rootLists: number[][];
  readonly nthIndexCache: Map<Node, Map<Node, number>>;
  /** By the name of the elements. */
  tagNames?: Map<string, string>;
  /** By the attribute `class`. */
  classNames?: Map<string, string[]>;
  /** By name and value. */
  attrTexts?: Map<string, AttrText>;
}

/** An attribute as a selector writes it. */
interface AttrText {
  readonly atnv: string;
  readonly isSuffix: boolean;
  readonly rawName: string;
  readonly suffix: string;
}

// axe's own.
declare const ignoredAttributes: readonly string[];
declare function filterAttributes(attr: { name: string; value: string }): boolean;
declare function getAttributeNameValue(
  node: Element,
  attr: { name: string; value: string },
): AttrText;
declare function escape_selector_default(value: string): string;
declare function getBaseSelector(element: Element): string;
declare function nthChildMap(parent: Node, known: Map<Node, Map<Node, number>>): Map<Node, number>;
declare function pushToList(lists: Map<string, number[]>, key: string, index: number): void;
declare function rootIdFor(root: Node, state: IndexState): number;

/** From the last of siblings to the first, as axe numbers them. */
function walkFlatTree(domTree: VirtualNode | VirtualNode[], state: IndexState): void {
  const pending = Array.isArray(domTree) ? [...domTree] : [domTree];
  for (let vNode = pending.pop(); vNode !== undefined; vNode = pending.pop()) {
    if (vNode.props.nodeType === 1) recordFlatTreeElement(vNode.actualNode as Element, state);
    const { children } = vNode;
    for (let index = 0; index < children.length; index += 1) {
      pending.push(children[index] as VirtualNode);
    }
  }
}

function recordFlatTreeElement(node: Element, state: IndexState): void {
  const { _elmToIdx, _nodeRecords } = state.selectorData;
  const index = _nodeRecords.length;
  const { parentNode } = node;
  const parentIdx = (parentNode && _elmToIdx.get(parentNode)) ?? -1;
  // A form's may be a control in it that has this name.
  const hasRoot = typeof node.getRootNode === 'function';
  // An element is in the tree that its parent is in.
  const known = hasRoot ? _nodeRecords[parentIdx]?.rootId : undefined;
  const rootId = known ?? rootIdFor(hasRoot ? node.getRootNode() : document, state);
  _elmToIdx.set(node, index);
  _nodeRecords.push(indexElement(node, index, { parentIdx, rootId, countFeatures: true }, state));
  if (node.shadowRoot) rootIdFor(node.shadowRoot, state);
}

function indexElement(
  elm: Element,
  index: number,
  {
    parentIdx,
    rootId,
    countFeatures,
  }: { parentIdx: number; rootId: number; countFeatures: boolean },
  state: IndexState,
) {
  const { selectorData, rootLists, nthIndexCache } = state;
  const { tags, _idCounts, _idToIdx } = selectorData;
  const { nodeName } = elm;
  if (countFeatures) tags[nodeName] = (tags[nodeName] || 0) + 1;
  state.tagNames ??= new Map();
  let tag = state.tagNames.get(nodeName);
  if (tag === undefined) state.tagNames.set(nodeName, (tag = getBaseSelector(elm)));
  pushToList(state.tagLists, tag, index);
  const classes = collectNodeClasses(elm, index, countFeatures, state);
  const attrs = collectNodeAttrs(elm, index, countFeatures, state);
  const rawId = elm.getAttribute && elm.getAttribute('id');
  const id = rawId ? `#${escape_selector_default(rawId)}` : null;
  if (id !== null) {
    const counts = _idCounts[rootId] as Record<string, number>;
    counts[id] = (counts[id] || 0) + 1;
    (_idToIdx[rootId] as Record<string, number>)[id] = index;
  }
  rootLists[rootId]!.push(index);
  const { parentNode } = elm;
  const places = parentNode?.children ? nthChildMap(parentNode, nthIndexCache) : undefined;
  return {
    elm,
    nodeName,
    tag,
    id,
    classes,
    ...attrs,
    nthChild: places?.get(elm) || 0,
    parentIdx,
    rootId,
  };
}

function collectNodeClasses(
  node: Element,
  index: number,
  countFeatures: boolean,
  state: IndexState,
): string[] {
  const value = Element.prototype.getAttribute.call(node, 'class');
  if (value === null) return [];
  state.classNames ??= new Map();
  let names = state.classNames.get(value);
  if (names === undefined) {
    names = Array.from(node.classList, escape_selector_default);
    state.classNames.set(value, names);
  }
  const { classes } = state.selectorData;
  for (const name of names) {
    if (countFeatures) classes[name] = (classes[name] || 0) + 1;
    pushToList(state.classLists, name, index);
  }
  return names;
}

function collectNodeAttrs(
  node: Element,
  index: number,
  countFeatures: boolean,
  state: IndexState,
): object {
  const { attributes, _suffixInfo } = state.selectorData;
  const featureAttrs: string[] = [];
  const exactAttrs: string[] = [];
  let urlAttrs: Record<string, string> | null = null;
  for (const name of Element.prototype.getAttributeNames.call(node)) {
    if (ignoredAttributes.includes(name)) continue;
    const value = Element.prototype.getAttribute.call(node, name) ?? '';
    const isFeature = filterAttributes({ name, value });
    // Others are no feature, however they are written.
    if (!isFeature && !name.includes('href') && !name.includes('src')) continue;
    const { atnv, isSuffix, rawName, suffix } = attrTextOf(node, { name, value }, state);
    if (isSuffix) {
      urlAttrs ??= {};
      urlAttrs[rawName] = value;
      if (!_suffixInfo.has(atnv)) _suffixInfo.set(atnv, { rawName, suffix });
    }
    if (!isFeature) continue;
    if (countFeatures) attributes[atnv] = (attributes[atnv] || 0) + 1;
    featureAttrs.push(atnv);
    if (isSuffix) continue;
    exactAttrs.push(atnv);
    pushToList(state.attrLists, atnv, index);
  }
  return { urlAttrs, featureAttrs, exactAttrs };
}

function attrTextOf(
  node: Element,
  attr: { name: string; value: string },
  state: IndexState,
): AttrText {
  const key = `${attr.name} ${attr.value}`;
  state.attrTexts ??= new Map();
  let text = state.attrTexts.get(key);
  if (text === undefined) state.attrTexts.set(key, (text = getAttributeNameValue(node, attr)));
  return text;
}

const reason = `What is the same for many elements of the page is found out for each: their tags, classes, attributes
  and roots as selectors write them.`;

export const selectorIndex: readonly Patch[] = [
  replaceFunction(reason, walkFlatTree),
  replaceFunction(reason, recordFlatTreeElement),
  replaceFunction(reason, indexElement),
  replaceFunction(reason, collectNodeClasses),
  replaceFunction(reason, collectNodeAttrs, attrTextOf),
];
