import type { Grid, Rect, RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction, replaceMemoized } from '../patch.ts';

/** A node, and where its boxes are: left, right, top and bottom of each in whole pixels. */
type Placed = VirtualNode & { _boxes?: number[] };

// axe's own.
declare const cache_default: RunCache;
declare function getOverflowHiddenAncestors(vNode: VirtualNode | null | undefined): VirtualNode[];
declare function get_overflow_hidden_ancestors_default(vNode: VirtualNode | null): VirtualNode[];
declare function _getIntersectionRect(a: Rect, b: Rect): Rect | null;
declare function _getRectCenter(rect: Rect): { x: number; y: number };
declare function _visuallySort(a: VirtualNode, b: VirtualNode): number;

function addNodeToGrid(grid: Grid, vNode: Placed): void {
  const clipping = get_overflow_hidden_ancestors_default(vNode);
  const { clientRects } = vNode;
  for (let index = 0; index < clientRects.length; index += 1) {
    let visibleRect = clientRects[index] as Rect | null;
    for (let by = 0; visibleRect !== null && by < clipping.length; by += 1) {
      visibleRect = _getIntersectionRect(visibleRect, clipping[by]!.boundingClientRect);
    }
    if (visibleRect === null) continue;
    vNode._grid ??= grid;
    grid.loopGridPosition(grid.getGridPositionOfRect(visibleRect), (cell) => {
      // All boxes of a node are added at one time.
      if (cell.at(-1) !== vNode) cell.push(vNode);
    });
  }
}

function getRectStack(grid: Grid, rect: Rect, recursed = false): (VirtualNode | Node)[] {
  const center = _getRectCenter(rect);
  const cell = grid.getCellFromPoint(center);
  const x = Math.floor(center.x);
  const y = Math.floor(center.y);
  let stack = cell.filter((vNode) => isAt(vNode, x, y));
  if (grid.container !== null) stack = [...stackAtCenter(grid.container), ...stack];
  if (recursed) return stack;
  const nodes = new Set(stack.toSorted(_visuallySort).map(({ actualNode }) => actualNode));
  return [...nodes.add(document.documentElement)];
}

/** The same for all that is in one container. */
function stackAtCenter(container: VirtualNode): VirtualNode[] {
  const known = cache_default.get('stacksAtCenter', () => new Map<VirtualNode, VirtualNode[]>());
  let stack = known.get(container);
  if (stack === undefined) {
    const { _grid, boundingClientRect } = container;
    stack = getRectStack(_grid as Grid, boundingClientRect, true) as VirtualNode[];
    known.set(container, stack);
  }
  return stack;
}

function isAt(vNode: Placed, x: number, y: number): boolean {
  vNode._boxes ??= vNode.clientRects.flatMap(({ left, top, width, height }) => [
    Math.floor(left),
    Math.floor(left + width),
    Math.floor(top),
    Math.floor(top + height),
  ]);
  const boxes = vNode._boxes as [number, number, number, number, ...number[]];
  for (let box = 0; box < boxes.length; box += 4) {
    const isInside = x >= (boxes[box] ?? 0) && x < (boxes[box + 1] ?? 0);
    if (isInside && y >= (boxes[box + 2] ?? 0) && y < (boxes[box + 3] ?? 0)) return true;
  }
  return false;
}

function getOverflowHiddenAncestorsMemoized(vNode: VirtualNode | null | undefined): VirtualNode[] {
  if (!vNode) return [];
  const further = getOverflowHiddenAncestors(vNode.parent);
  return vNode.getComputedStylePropertyValue('overflow') === 'hidden'
    ? [vNode, ...further]
    : further;
}

const reason = `For each line of text all that is near it is gone through, and what its container lies on is
  found out again.`;

export const grid: readonly Patch[] = [
  replaceFunction(
    `What is in a part of the page is gone through for each element that is added to it.`,
    addNodeToGrid,
  ),
  replaceFunction(reason, getRectStack, stackAtCenter, isAt),
  replaceMemoized(
    `Each element has a list of its own of what may clip it, most often its parent's.`,
    'getOverflowHiddenAncestors',
    getOverflowHiddenAncestorsMemoized,
  ),
];
