/** An element or a text of the page as axe-core 4.14.1 sees it: shadow trees are in their places. */
export interface VirtualNode {
  readonly actualNode: Node;
  readonly parent: VirtualNode | null | undefined;
  readonly children: readonly VirtualNode[];
  /** In document order. */
  readonly nodeIndex: number;
  readonly props: {
    readonly nodeName: string;
    readonly nodeType: number;
    readonly id: string;
    readonly type: string | undefined;
  };
  readonly clientRects: readonly Rect[];
  readonly boundingClientRect: Rect;
  /** Undefined until it was placed among the others. */
  readonly _stackingOrder: readonly StackingContext[];
  readonly _isInTree: boolean;
  /** What is found out of it by those who have no field for it. */
  readonly _cache: { isPlain?: boolean; isOnFlat?: boolean };
  /** Of the shadow tree that it is in, also of what a slot shows in it. */
  readonly shadowId: string | undefined;
  _grid?: Grid;
  /** The browser's own, which follows changes. */
  readonly computedStyle: CSSStyleDeclaration;
  getComputedStylePropertyValue(property: string): string;
}

/** A DOMRect, or what takes the place of one. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** Channels from 0 to 1 as they are, and to 255 as they can be shown. */
export interface Color {
  r: number;
  g: number;
  b: number;
  alpha: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export interface StackingContext {
  readonly stackLevel: number;
  readonly pseudo: boolean;
  readonly treeOrder: number;
  readonly vNode: VirtualNode | null;
}

/** What is where in a part of the page that scrolls as one. */
export interface Grid {
  readonly container: VirtualNode | null;
  getGridPositionOfRect(rect: Rect): Rect;
  loopGridPosition(position: Rect, visit: (cell: VirtualNode[]) => void): void;
  getCellFromPoint(point: { x: number; y: number }): VirtualNode[];
}

/** What axe keeps for the length of one run. */
export interface RunCache {
  get<Value>(key: string, create: () => Value): Value;
}

export interface RunOptions {
  readonly performanceTimer?: boolean;
  readonly resultTypes?: readonly string[];
}

export type CheckType = 'any' | 'all' | 'none';

export interface Check {
  readonly id: string;
  /** Compares the results for all elements, those in other frames included. */
  readonly after?: unknown;
  evaluate(node: Node, options: unknown, virtualNode: VirtualNode, context: unknown): unknown;
  getOptions(options: unknown): unknown;
}

export interface CheckResult {
  readonly id: string;
  result: unknown;
  data: unknown;
  relatedNodes: object[];
}

export interface Rule extends Readonly<Record<CheckType, readonly (string | { id: string })[]>> {
  readonly id: string;
  readonly pageLevel: boolean;
  /** What fails is to be judged by a person. */
  readonly reviewOnFail: boolean;
  readonly _audit: { readonly checks: Readonly<Record<string, Check>> };
  gatherAndMatchNodes(context: unknown, options: RunOptions): VirtualNode[];
  _trackPerformance(): void;
  _logGatherPerformance(nodes: VirtualNode[]): void;
  _logRulePerformance(): void;
}

export type NodeResult = Record<CheckType, CheckResult[]> & { node?: object };

export interface RuleResult {
  readonly nodes: NodeResult[];
}
