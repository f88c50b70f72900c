import { type Patch, wrapFunction } from '../patch.ts';

interface Fragment {
  readonly selectorString: string;
  readonly id?: string;
  readonly nthChild?: number;
}

interface SelectorData {
  readonly _nodeRecords: readonly { readonly nthChild: number }[];
  readonly _wordCount: number;
}

/** What a part of a selector matches: the numbers of elements. */
interface Match {
  bits?: Uint32Array | null;
  indices?: readonly number[];
  indicesByNth?: Map<number, number[]>;
}

// axe's own.
declare function getCachedMatch(data: SelectorData, rootId: number, fragment: Fragment): Match;
declare function listToBits(indices: readonly number[], wordCount: number): Uint32Array;
declare function originalbitsForFragment(
  fragment: Fragment,
  data: SelectorData,
  rootId: number,
): Uint32Array | null;
declare function originalindicesForFragment(
  fragment: Fragment,
  data: SelectorData,
  rootId: number,
): readonly number[];

function bitsForFragment(fragment: Fragment, data: SelectorData, rootId: number) {
  if (fragment.nthChild === undefined || fragment.id) {
    return originalbitsForFragment(fragment, data, rootId);
  }
  const match = getCachedMatch(data, rootId, fragment);
  if (match.bits === undefined) {
    const indices = indicesForFragment(fragment, data, rootId);
    match.bits = indices.length === 0 ? null : listToBits(indices, data._wordCount);
  }
  return match.bits;
}

function indicesForFragment(
  fragment: Fragment,
  data: SelectorData,
  rootId: number,
): readonly number[] {
  const { nthChild, selectorString } = fragment;
  if (nthChild === undefined || fragment.id) {
    return originalindicesForFragment(fragment, data, rootId);
  }
  const { nthChild: _, ...others } = fragment;
  const siblings = { ...others, selectorString: selectorString.replace(/:nth-child\(\d+\)$/, '') };
  const match = getCachedMatch(data, rootId, siblings);
  match.indicesByNth ??= Map.groupBy(
    originalindicesForFragment(siblings, data, rootId),
    (index) => data._nodeRecords[index]?.nthChild ?? 0,
  );
  return match.indicesByNth.get(nthChild) ?? [];
}

const reason = `All elements of a kind are gone through for each that is told by its place among its siblings.`;

export const nthChild: readonly Patch[] = [
  wrapFunction(reason, bitsForFragment),
  wrapFunction(reason, indicesForFragment),
];
