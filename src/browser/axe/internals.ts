/** An element or a text of the page as axe-core 4.14.1 sees it: with the nodes of shadow trees in their places. */
export interface VirtualNode {
  readonly actualNode: Node;
  readonly parent: VirtualNode | null | undefined;
  readonly children: readonly VirtualNode[];
  getComputedStylePropertyValue(property: string): string;
}

/** What axe keeps for the length of one run. */
export interface RunCache {
  get<Value>(key: string, create: () => Value): Value;
}
