import type { Patch } from './patch.ts';
import { aria } from './patches/aria.ts';
import { backgrounds } from './patches/backgrounds.ts';
import { colors } from './patches/colors.ts';
import { contrast } from './patches/contrast.ts';
import { elementSource } from './patches/element-source.ts';
import { flatStacks } from './patches/flat-stacks.ts';
import { geometry } from './patches/geometry.ts';
import { grid } from './patches/grid.ts';
import { iconLigature } from './patches/icon-ligature.ts';
import { languages } from './patches/languages.ts';
import { lines } from './patches/lines.ts';
import { memoize } from './patches/memoize.ts';
import { messages } from './patches/messages.ts';
import { names } from './patches/names.ts';
import { nthChild } from './patches/nth-child.ts';
import { results } from './patches/results.ts';
import { roles } from './patches/roles.ts';
import { ruleRun } from './patches/rule-run.ts';
import { runCache } from './patches/run-cache.ts';
import { selectorData } from './patches/selector-data.ts';
import { selectorIndex } from './patches/selector-index.ts';
import { selectors } from './patches/selectors.ts';
import { stacking } from './patches/stacking.ts';
import { textBlock } from './patches/text-block.ts';
import { text } from './patches/text.ts';
import { contextTrees, tree } from './patches/tree.ts';
import { unused } from './patches/unused.ts';
import { virtualNode } from './patches/virtual-node.ts';
import { visibility } from './patches/visibility.ts';
import { words } from './patches/words.ts';

/**
 * What axe finds stays as it is: test/browser/axe/findings.test.ts. What runs for each element goes
 * through lists by index: an iterator makes an object of each step, and a page lives too briefly for the
 * compiler that would spare it.
 */
export const patches: readonly Patch[] = [
  ...unused,
  memoize,
  ...runCache,
  virtualNode,
  tree,
  ...contextTrees,
  ruleRun,
  ...elementSource,
  ...selectorData,
  ...selectorIndex,
  ...nthChild,
  ...selectors,
  ...roles,
  ...aria,
  ...names,
  ...geometry,
  ...stacking,
  ...grid,
  ...lines,
  ...visibility,
  ...text,
  ...words,
  iconLigature,
  ...contrast,
  ...backgrounds,
  flatStacks,
  colors,
  textBlock,
  messages,
  ...languages,
  ...results,
];
