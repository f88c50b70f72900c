import type { RunCache, VirtualNode } from '../internals.ts';
import { type Patch, replaceFunction } from '../patch.ts';

interface RoleOptions {
  readonly noPresentational?: boolean;
}

// axe's own.
declare const cache_default: RunCache;
declare const standards_default: { ariaRoles: Record<string, { type: string }> };
declare function _nodeLookup(node: unknown): { vNode: VirtualNode };
declare function resolveRole(node: unknown, options: RoleOptions): string | null;

function getRole(node: unknown, options: RoleOptions = {}): string | null {
  let role: string | null | undefined;
  const { vNode } = _nodeLookup(node);
  const { noPresentational, ...others } = options;
  if (Object.keys(others).length > 0) role = resolveRole(node, others);
  else {
    const known = cache_default.get('roles', () => new Map<VirtualNode, string | null>());
    role = known.get(vNode);
    if (role === undefined) known.set(vNode, (role = resolveRole(node, others)));
  }
  return noPresentational && ['presentation', 'none'].includes(role as string) ? null : role;
}

function getAriaRolesByType(type: string): string[] {
  const { ariaRoles } = standards_default;
  return cache_default.get(`ariaRolesOfType ${type}`, () =>
    Object.keys(ariaRoles).filter((role) => ariaRoles[role]?.type === type),
  );
}

export const roles: readonly Patch[] = [
  replaceFunction(`Many rules and names ask for the role of the same element.`, getRole),
  replaceFunction(`All roles are gone through for each element.`, getAriaRolesByType),
];
