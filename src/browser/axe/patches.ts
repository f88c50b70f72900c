import type { Patch } from './patch.ts';
import { memoize } from './patches/memoize.ts';
import { moduleDefinitions } from './patches/module.ts';
import { textBlock } from './patches/text-block.ts';

/** Each by itself leaves what axe finds as it is: test/browser/axe/findings.test.ts. */
export const patches: readonly Patch[] = [...moduleDefinitions, memoize, textBlock];
