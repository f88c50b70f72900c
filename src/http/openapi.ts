import { toOpenAPISchema } from '@elysiajs/openapi';
import type { AnyElysia } from 'elysia';
import { fieldDescriptions, fieldsOf } from './openapi-fields.ts';
import { problemSchema } from './problem.ts';

/*
 * The generator of @elysiajs/openapi knows the routes and their schemas. What it cannot say is added
 * here: that problems have a media type of their own, the fields of the answers, examples, and names
 * for what recurs. A schema with a title becomes a component of that name.
 */

interface Schema {
  readonly title?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
}
type Content = Record<string, { readonly schema: Schema }>;
interface Parameter {
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly content: Content }>;
}

/** The paths and components of the document, generated from the routes that the app has by now. */
export function describeRoutes(app: AnyElysia) {
  // TypeBox and the generator leave symbols and undefined members behind, which JSON has not; and
  // Elysia's mark for what it is not to check.
  const generated: Record<string, Record<string, Operation>> = JSON.parse(
    JSON.stringify(toOpenAPISchema(app).paths, (key, value: unknown) =>
      key === 'noValidate' ? undefined : value,
    ),
  );
  const schemas: Record<string, unknown> = {};
  nameSchemas(JSON.parse(JSON.stringify(problemSchema)), schemas);
  const paths = mapValues(generated, (operations) =>
    mapValues(operations, ({ parameters, requestBody, responses, ...operation }) => ({
      ...operation,
      ...(parameters && { parameters: parameters.map(describeParameter) }),
      ...(requestBody && {
        requestBody: { ...requestBody, content: describeContent(requestBody.content, schemas) },
      }),
      responses: mapValues(responses, ({ content, ...response }, status) => ({
        ...response,
        headers: Object.fromEntries(
          fieldsOf(operation.operationId, status).map((name) => [
            name,
            { $ref: `#/components/headers/${name}` },
          ]),
        ),
        content: describeContent(content, schemas),
      })),
    })),
  );
  return { paths, components: { schemas, headers: fieldDescriptions } };
}

/** Moves what a schema tells of a parameter to where viewers look for it. */
function describeParameter({ schema, ...parameter }: Parameter) {
  const { description, examples, ...rest } = schema;
  return {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { example: examples[0] }),
    ...parameter,
    schema: rest,
  };
}

/** Moves the examples of a body to where viewers look for them, and gives problems their type. */
function describeContent(content: Content, schemas: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => {
      const { title, examples, anyOf } = schema;
      const values = examples ?? anyOf?.flatMap((member) => member.examples ?? []) ?? [];
      return [
        title === problemSchema.title ? 'application/problem+json' : type,
        {
          schema: nameSchemas(schema, schemas),
          ...(values.length > 1
            ? { examples: Object.fromEntries(values.map((value) => [nameOf(value), { value }])) }
            : { example: values[0] }),
        },
      ];
    }),
  );
}

/** What tells the examples of one body apart. */
function nameOf(example: unknown): string {
  if (!isRecord(example)) return String(example);
  return String(example['code'] ?? example['status']);
}

/** Puts every schema that has a title among the named ones, and a reference in its place. */
function nameSchemas(schema: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => nameSchemas(member, named));
  if (!isRecord(schema)) return schema;
  const { title } = schema;
  const copy = mapValues(schema, (member, key) =>
    key === 'examples' ? member : nameSchemas(member, named),
  );
  // The generator turns “this constant or null” into a constant that must be null as well.
  if ('const' in copy && Array.isArray(copy['type'])) {
    copy['enum'] = [copy['const'], null];
    delete copy['const'];
  }
  if (typeof title !== 'string') return copy;
  named[title] ??= copy;
  return { $ref: `#/components/schemas/${title}` };
}

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
