import type { VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

/** While it is put in its place. */
interface TreeNode extends VirtualNode {
  /** Axe makes virtual nodes of others too: of what no slot shows. */
  _isInTree: boolean;
  children: TreeNode[];
}

// axe's own.
// oxlint-disable-next-line eslint/no-unused-vars -- axe reads it
declare let hasShadowRoot: boolean;
declare function createNode(node: Node, parent: TreeNode | null, shadowId?: string): TreeNode;
declare function is_shadow_root_default(node: Node): boolean;

function flattenTree(node: Node, shadowId: string | undefined, parent: TreeNode | null) {
  const nodes: TreeNode[] = [];
  flattenInto(nodes, node, shadowId, parent);
  return nodes;
}

function flattenInto(
  nodes: TreeNode[],
  found: Node,
  shadowId: string | undefined,
  parent: TreeNode | null,
): void {
  const node = (found as Document).documentElement ?? found;
  if (node.nodeType === Node.TEXT_NODE) {
    nodes.push(createNode(node, parent));
    return;
  }
  let children: ArrayLike<Node> = node.childNodes;
  let inner = shadowId;
  if (is_shadow_root_default(node)) {
    hasShadowRoot = true;
    inner = `a${Math.random().toString().slice(2)}`;
    children = (node.shadowRoot as ShadowRoot).childNodes;
  } else if (
    node.nodeName.toLowerCase() === 'slot' &&
    typeof (node as HTMLSlotElement).assignedNodes === 'function'
  ) {
    const assigned = (node as HTMLSlotElement).assignedNodes();
    if (assigned.length > 0) children = assigned;
    for (let index = 0; index < children.length; index += 1) {
      flattenInto(nodes, children[index] as Node, shadowId, parent);
    }
    return;
  } else if (node.nodeType !== Node.ELEMENT_NODE) return;
  const vNode = createNode(node, parent, shadowId);
  vNode._isInTree = true;
  nodes.push(vNode);
  for (let index = 0; index < children.length; index += 1) {
    flattenInto(vNode.children, children[index] as Node, inner, vNode);
  }
  layOutContent(vNode);
}

/**
 * What `content-visibility` leaves out of the layout is laid out when an element in it is measured, and
 * what is around it may move then: so one is, before any other.
 */
function layOutContent(vNode: TreeNode): void {
  const inner = vNode.children.find(({ actualNode }) => actualNode.nodeType === Node.ELEMENT_NODE);
  if (inner === undefined) return;
  if (vNode.getComputedStylePropertyValue('content-visibility') === 'visible') return;
  (inner.actualNode as Element).getBoundingClientRect();
}

export const tree: Patch = replaceFunction(
  `For each node of the page lists are made that hold it alone, to be joined to longer ones.`,
  flattenTree,
  flattenInto,
  layOutContent,
);

export const contextTrees: readonly Patch[] = [
  {
    reason: `To look for the frames of a page, a tree is made of all of it, and another to run the rules.`,
    start: 'var _Context = new Context(context), frames = _Context.frames;',
    replacement:
      'var _Context = new Context(context, axe._tree), frames = _Context.frames; axe._tree = _Context.flatTree;',
  },
  {
    reason: `As above: this is what runs the rules where no frame was found.`,
    start: 'context = new Context(context);',
    replacement: 'context = new Context(context, axe._tree);',
  },
];
