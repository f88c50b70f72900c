import { type Patch, remove } from '../patch.ts';

const reason = 'What can be a module is taken for one when it is minified, and never runs.';

export const moduleDefinitions: readonly Patch[] = [
  remove(reason, "if (typeof define === 'function' && define.amd) {"),
  remove(
    reason,
    "if ((typeof module === 'undefined' ? 'undefined' : _typeof(module)) === 'object'",
  ),
  {
    reason,
    start: "})(typeof window === 'object' ? window : this);",
    replacement: '})(window);',
  },
];
