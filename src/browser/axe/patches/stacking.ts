import type { RunCache, StackingContext, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

interface StackingProperty {
  readonly names: readonly string[];
  /** Any other stacks. */
  readonly initial: string;
}

// axe's own.
declare const cache_default: RunCache;
declare const FLOAT_LEVEL: number;
declare const DEFAULT_LEVEL: number;
declare function createStackingContext(
  stackLevel: number,
  pseudo: boolean,
  treeOrder: number,
  vNode: VirtualNode,
): StackingContext;
declare function getRealZIndex(vNode: VirtualNode, parent: VirtualNode): string;
declare function isFlexOrGridContainer(vNode: VirtualNode | null): boolean;

function createStackingOrder(vNode: VirtualNode, parent: VirtualNode, treeOrder: number) {
  const order = [...parent._stackingOrder];
  const isRealStack = isStackingContext(vNode, parent);
  const isPositioned = vNode.getComputedStylePropertyValue('position') !== 'static';
  if (isRealStack || isPositioned) {
    const firstPseudo = order.findIndex(({ pseudo }) => pseudo);
    if (firstPseudo !== -1) order.length = firstPseudo;
  }
  const zIndex = getRealZIndex(vNode, parent);
  let level: number | null = null;
  if (zIndex !== 'auto' && zIndex !== '0') level = Number.parseInt(zIndex, 10);
  else if (vNode.getComputedStylePropertyValue('float') !== 'none') level = FLOAT_LEVEL;
  else if (isRealStack || isPositioned) level = DEFAULT_LEVEL;
  if (level !== null) order.push(createStackingContext(level, !isRealStack, treeOrder, vNode));
  return order;
}

function isStackingContext(vNode: VirtualNode, parent: VirtualNode): boolean {
  const position = vNode.getComputedStylePropertyValue('position');
  if (position === 'fixed' || position === 'sticky') return true;
  const zIndex = vNode.getComputedStylePropertyValue('z-index');
  if (zIndex !== 'auto' && (position !== 'static' || isFlexOrGridContainer(parent))) return true;
  if (vNode.getComputedStylePropertyValue('opacity') !== '1') return true;
  const style = vNode.computedStyle;
  const properties = cache_default.get('stackingProperties', stackingProperties);
  for (let index = 0; index < properties.length; index += 1) {
    const { names, initial } = properties[index] as StackingProperty;
    let value = '';
    for (let name = 0; value === '' && name < names.length; name += 1) {
      value = style.getPropertyValue(names[name] as string);
    }
    if (value !== '' && value !== initial) return true;
  }
  if (style.getPropertyValue('isolation') === 'isolate') return true;
  const willChange = style.getPropertyValue('will-change');
  if (willChange === 'transform' || willChange === 'opacity') return true;
  return ['layout', 'paint', 'strict', 'content'].includes(style.getPropertyValue('contain'));
}

/** In the names that this browser knows; one that it doesn't know stacks nothing. */
function stackingProperties(): StackingProperty[] {
  const properties: [names: string[], initial: string][] = [
    [['-webkit-transform', '-ms-transform', 'transform'], 'none'],
    [['mix-blend-mode'], 'normal'],
    [['filter'], 'none'],
    [['perspective'], 'none'],
    [['clip-path'], 'none'],
    [['-webkit-mask', 'mask'], 'none'],
    [['-webkit-mask-image', 'mask-image'], 'none'],
    [['-webkit-mask-border', 'mask-border'], 'none'],
    [['-webkit-overflow-scrolling'], 'auto'],
  ];
  return properties
    .map(([names, initial]) => ({
      names: names.filter((name) => CSS.supports(name, 'initial')),
      initial,
    }))
    .filter(({ names }) => names.length > 0);
}

export const stacking: readonly Patch[] = [
  replaceFunction(
    `Whether an element stacks is found out twice, and by properties that no browser has.`,
    createStackingOrder,
  ),
  replaceFunction(
    `Whether an element stacks is found out twice, and by properties that no browser has.`,
    isStackingContext,
    stackingProperties,
  ),
];
