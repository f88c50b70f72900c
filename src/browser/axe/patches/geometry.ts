import type { Rect } from '../internals.ts';
import { type Patch, replaceFunction, replaceMethod } from '../patch.ts';

interface Grid {
  toGridIndex(position: number): number;
}

/** What `new DOMRect` gives: of a negative width, left and right change places. */
function toRect(x: number, y: number, width: number, height: number): Rect {
  return {
    left: Math.min(x, x + width),
    top: Math.min(y, y + height),
    right: Math.max(x, x + width),
    bottom: Math.max(y, y + height),
    width,
    height,
  };
}

/** Of each line or box. */
function rectsOf(source: Element | Range): Rect[] {
  const domRects = source.getClientRects();
  const rects: Rect[] = [];
  for (let index = 0; index < domRects.length; index += 1) {
    const { x, y, width, height } = domRects[index] as DOMRect;
    rects.push(toRect(x, y, width, height));
  }
  return rects;
}

function _getIntersectionRect(a: Rect, b: Rect): Rect | null {
  const left = Math.max(a.left, b.left);
  const right = Math.min(a.right, b.right);
  const top = Math.max(a.top, b.top);
  const bottom = Math.min(a.bottom, b.bottom);
  return left >= right || top >= bottom ? null : toRect(left, top, right - left, bottom - top);
}

function _getBoundingRect(a: Rect, b: Rect): Rect {
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  return toRect(left, top, Math.max(a.right, b.right) - left, Math.max(a.bottom, b.bottom) - top);
}

function _getRectCenter({ left, top, width, height }: Rect): { x: number; y: number } {
  return { x: left + width / 2, y: top + height / 2 };
}

function getGridPositionOfRect(this: Grid, rect: Rect, margin = 0): Rect {
  const left = this.toGridIndex(rect.left - margin);
  const top = this.toGridIndex(rect.top - margin);
  const right = this.toGridIndex(rect.right + margin - 1);
  const bottom = this.toGridIndex(rect.bottom + margin - 1);
  return toRect(left, top, right - left, bottom - top);
}

const reason = `To make a DOM object of a rectangle and to read its sides costs more than what is done with it.`;

export const geometry: readonly Patch[] = [
  replaceFunction(reason, _getIntersectionRect, toRect, rectsOf),
  replaceFunction(reason, _getBoundingRect),
  replaceFunction(reason, _getRectCenter),
  replaceMethod(reason, getGridPositionOfRect),
];
