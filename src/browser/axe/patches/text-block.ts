import type { RunCache, VirtualNode } from '../internals.ts';
import { replaceFunction } from '../patch.ts';

// axe's own.
declare const cache_default: RunCache;
declare function _nodeLookup(node: unknown): { vNode: VirtualNode; domNode: Node };
declare function isBlock(node: Node): boolean;
declare function isInlineBlockLike(node: VirtualNode): boolean;
declare function getBlockParent(node: Node): VirtualNode;
declare function get_role_type_default(node: Node): string | null;
declare function _isVisibleOnScreen(node: Node): boolean;
declare function sanitize_default(text: string): string;

/** What stands between two breaks of a block: its texts, and those of links and other widgets. */
interface Run {
  text: string;
  widgetText: string;
  lengths?: { text: number; widgetText: number };
}

interface TextBlock {
  readonly runs: Map<Node, Run>;
  last: Run;
}

function isInTextBlock(
  node: unknown,
  options: { noLengthCompare?: boolean; includeInlineBlock?: boolean } = {},
): boolean {
  const { vNode, domNode } = _nodeLookup(node);
  if (isBlock(domNode)) return false;
  if (!options.includeInlineBlock && isInlineBlockLike(vNode)) return false;
  const parent = getBlockParent(domNode);
  const blocks = cache_default.get('textBlocks', () => new Map<VirtualNode, TextBlock>());
  let block = blocks.get(parent);
  if (block === undefined) blocks.set(parent, (block = readTextBlock(parent)));
  // What is not shown, or lies within a widget, is in no run: axe takes it to be in the last.
  const run = block.runs.get(domNode) ?? block.last;
  run.lengths ??= {
    text: sanitize_default(run.text).length,
    widgetText: sanitize_default(run.widgetText).length,
  };
  return options.noLengthCompare
    ? run.lengths.text !== 0
    : run.lengths.text > run.lengths.widgetText;
}

function readTextBlock({ children }: VirtualNode): TextBlock {
  const block: TextBlock = { runs: new Map(), last: { text: '', widgetText: '' } };
  const read = ({ actualNode, children: inner }: VirtualNode): void => {
    if (actualNode.nodeType === 3) block.last.text += actualNode.nodeValue;
    if (actualNode.nodeType !== 1) return;
    const before = block.last;
    // A break belongs to the run that it ends.
    block.runs.set(actualNode, before);
    const breaks = isBlock(actualNode);
    if (breaks || ['BR', 'HR'].includes((actualNode.nodeName || '').toUpperCase())) {
      block.last = { text: '', widgetText: '' };
    }
    if (breaks || !_isVisibleOnScreen(actualNode)) return;
    if (get_role_type_default(actualNode) !== 'widget') {
      inner.forEach(read);
      return;
    }
    block.last.widgetText += actualNode.textContent;
    if (block.last !== before) before.widgetText += actualNode.textContent;
  };
  children.forEach(read);
  return block;
}

export const textBlock = replaceFunction(
  `For each link the whole block around it is walked; one walk tells it for all of the block's links.`,
  isInTextBlock,
  readTextBlock,
);
