import { type Patch, replaceFunction, wrapFunction } from '../patch.ts';
import type { IndexState, SelectorData } from './selector-index.ts';

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
declare function originalescapeSelector(value: string): string;
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

function escapeSelector(value: unknown): string {
  const name = String(value);
  return /^[a-z_][\w-]*$/i.test(name) ? name : originalescapeSelector(name);
}

const reason = `What tells elements apart is read from the whole page before anything is found, although only what
  is found gets a selector.`;

export const selectorData: readonly Patch[] = [
  replaceFunction(reason, _getSelectorData, readSelectorData),
  replaceFunction(reason, getElmId),
  replaceFunction(reason, generateSelector),
  wrapFunction(
    `Names are gone through letter by letter that can stand as they are.`,
    escapeSelector,
  ),
];
