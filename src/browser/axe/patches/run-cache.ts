import { type Patch, replaceFunction } from '../patch.ts';

// axe's own.
declare let _cache: Record<string, unknown> & { nodeMap?: WeakMap<object, unknown> };

function get(key: string, create?: () => unknown): unknown {
  if (key in _cache) return _cache[key];
  return create === undefined ? undefined : (_cache[key] = create());
}

function set(key: string, value: unknown): void {
  _cache[key] = value;
}

function clear(): void {
  _cache = {};
}

function getNodeFromTree(node: object, actualNode?: object): unknown {
  return _cache.nodeMap === undefined ? null : _cache.nodeMap.get(actualNode ?? node);
}

const reason = `What a run remembers, and the place of each element in the tree, is looked up hundreds of
  times an element; each time a message was put together for the case that the key is no key.`;

export const runCache: readonly Patch[] = [
  {
    reason,
    start: 'var cache = {',
    replacement: `var cache = { get: ${get.toString()}, set: ${set.toString()}, clear: ${clear.toString()} };`,
  },
  replaceFunction(reason, getNodeFromTree),
];
