import { t } from 'elysia';

/** One of a few strings. Of a union of literals, the OpenAPI document would lose the description. */
export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) {
  // Unless told otherwise, Elysia makes the first value the default.
  return t.UnionEnum(values, { description, default: undefined });
}
