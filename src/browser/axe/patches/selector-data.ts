import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';

interface SelectorData {
  /** How often each occurs in the page. */
  readonly classes: Record<string, number>;
  readonly attributes: Record<string, number>;
  readonly _suffixInfo: Map<string, { rawName: string; suffix: string }>;
  readonly _rootMap: Map<Node, number>;
  readonly _elmToIdx: WeakMap<Node, number>;
  readonly _idToIdx: Record<string, number>[];
  readonly _nodeRecords: { rootId: number }[];
}

interface IndexState {
  readonly selectorData: SelectorData;
  readonly attrLists: Map<string, number[]>;
  readonly classLists: Map<string, number[]>;
}

/** The tree, and the data once they were asked for. */
interface LazySelectorData {
  readonly domTree: unknown;
  data?: SelectorData;
}

interface Fragment {
  readonly selectorString: string;
}

// axe's own.
declare const axe: { _selectorData: LazySelectorData | undefined };
declare function createIndexState(): IndexState;
declare function walkFlatTree(domTree: unknown, state: IndexState): void;
declare function seedPhantomsFromRoots(state: IndexState): void;
declare function repairMissingParents(state: IndexState): void;
declare function buildIndexes(state: IndexState): void;
declare function rootIdFor(root: Node, state: IndexState): number;
declare function get_node_attributes_default(node: Element): Iterable<Attr>;
declare function filterAttributes(attr: Attr): boolean;
declare function getAttributeNameValue(
  node: Element,
  attr: Attr,
): { atnv: string; isSuffix: boolean; rawName: string; suffix: string };
declare function originalescapeSelector(value: string): string;
declare function escape_selector_default(value: string): string;
declare function pushToList(lists: Map<string, number[]>, key: string, index: number): void;
declare function idSelector(element: Element): string | undefined;
declare function getBaseSelector(element: Element): string;
declare function computeFragment(element: Element, data: SelectorData): Fragment;
declare function candidatesForChain(
  selector: string,
  fragment: Fragment,
  candidates: ArrayLike<number> | null,
  data: SelectorData,
  rootId: number,
): ArrayLike<number>;
declare function getRootSelector(selector: string): string;

function _getSelectorData(domTree: unknown): LazySelectorData {
  return { domTree };
}

function readSelectorData(lazy: LazySelectorData): SelectorData {
  if (lazy.data === undefined) {
    const state = createIndexState();
    walkFlatTree(lazy.domTree, state);
    seedPhantomsFromRoots(state);
    repairMissingParents(state);
    buildIndexes(state);
    lazy.data = state.selectorData;
  }
  return lazy.data;
}

function getElmId(element: Element): string | undefined {
  const id = idSelector(element);
  if (!id) return undefined;
  const data = readSelectorData(axe._selectorData as LazySelectorData);
  const root = (element.getRootNode?.() ?? document) as Document;
  const rootId = data._rootMap.get(root);
  const index = data._elmToIdx.get(element);
  if (rootId === undefined || index === undefined) {
    return root.querySelectorAll(id).length === 1 ? id : undefined;
  }
  return data._idToIdx[rootId]?.[id] === index ? id : undefined;
}

function generateSelector(element: Element, { toRoot = false }: { toRoot?: boolean } = {}): string {
  if (axe._selectorData === undefined) throw new Error('Expect axe._selectorData to be set up');
  const data = readSelectorData(axe._selectorData);
  const index = data._elmToIdx.get(element);
  if (index === undefined) return getElmId(element) ?? getBaseSelector(element);
  const { rootId } = data._nodeRecords[index] as { rootId: number };
  let candidates: ArrayLike<number> | null = null;
  let selector = '';
  let current: Element | null = element;
  do {
    const fragment = computeFragment(current, data);
    selector = fragment.selectorString + (selector ? ` > ${selector}` : '');
    candidates = candidatesForChain(selector, fragment, candidates, data, rootId);
    current = current.parentElement;
    if (!toRoot && candidates.length <= 1) break;
  } while (current);
  return candidates.length === 1 ? selector : getRootSelector(selector);
}

function ensureRoot(node: Element, state: IndexState): number {
  const { _elmToIdx, _nodeRecords } = state.selectorData;
  const hasRoot = typeof node.getRootNode === 'function';
  // An element is in the tree that its parent is in.
  const parent = hasRoot && node.parentNode ? _elmToIdx.get(node.parentNode) : undefined;
  const record = parent === undefined ? undefined : _nodeRecords[parent];
  return record?.rootId ?? rootIdFor(hasRoot ? node.getRootNode() : document, state);
}

function collectNodeClasses(
  node: Element,
  index: number,
  countFeatures: boolean,
  { selectorData: { classes }, classLists }: IndexState,
): string[] {
  const names: string[] = [];
  if (!Element.prototype.hasAttribute.call(node, 'class')) return names;
  for (const rawName of node.classList) {
    const name = escape_selector_default(rawName);
    if (countFeatures) classes[name] = (classes[name] || 0) + 1;
    names.push(name);
    pushToList(classLists, name, index);
  }
  return names;
}

function collectNodeAttrs(
  node: Element,
  index: number,
  countFeatures: boolean,
  { selectorData: { attributes, _suffixInfo }, attrLists }: IndexState,
): object {
  const featureAttrs: string[] = [];
  const exactAttrs: string[] = [];
  let urlAttrs: Record<string, string> | null = null;
  if (!node.hasAttributes()) return { urlAttrs, featureAttrs, exactAttrs };
  for (const attr of get_node_attributes_default(node)) {
    const { name, value } = attr;
    const isFeature = filterAttributes(attr);
    // Others are no feature, however they are written.
    if (!isFeature && !name.includes('href') && !name.includes('src')) continue;
    const { atnv, isSuffix, rawName, suffix } = getAttributeNameValue(node, attr);
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
    pushToList(attrLists, atnv, index);
  }
  return { urlAttrs, featureAttrs, exactAttrs };
}

function escapeSelector(value: unknown): string {
  const name = String(value);
  return /^[a-z_][\w-]*$/i.test(name) ? name : originalescapeSelector(name);
}

const reason = `What tells elements apart is read from the whole page before anything is found, although only what
  is found gets a selector.`;
const eachElement = `Classes and roots are asked for in roundabout ways, for each element of the page.`;

export const selectorData: readonly Patch[] = [
  replaceFunction(reason, _getSelectorData, readSelectorData),
  replaceFunction(reason, getElmId),
  replaceFunction(reason, generateSelector),
  replaceFunction(eachElement, ensureRoot),
  replaceFunction(eachElement, collectNodeClasses),
  replaceFunction(
    `Attributes that tell nothing apart are written out as selectors all the same.`,
    collectNodeAttrs,
  ),
  wrapFunction(
    `Names are gone through letter by letter that can stand as they are.`,
    escapeSelector,
  ),
];
