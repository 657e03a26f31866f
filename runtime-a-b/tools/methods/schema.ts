/** Parameters of Herdr's methods as plain JSON Schema, from Herdr's own document or from ours. Pure. */

import { HERDR_METHODS, METHOD_PARAMS } from '../../../contract/herdr/index.ts';
import { isObject } from '../../../contract/json.ts';

export type JsonSchema = Record<string, unknown>;

/** Methods by name; `undefined` for one that exists but whose parameters we cannot check. */
export type MethodSchemas = ReadonlyMap<string, JsonSchema | undefined>;

/** The methods that our contract models, and the names of the others. */
export function ownSchemas(): MethodSchemas {
  const schemas = new Map<string, JsonSchema | undefined>(HERDR_METHODS.map((name) => [name, undefined]));
  for (const [name, schema] of Object.entries(METHOD_PARAMS)) {
    schemas.set(name, JSON.parse(JSON.stringify(schema)) as JsonSchema);
  }
  return schemas;
}

/** How deep a type may contain itself before the rest is left open: layouts are trees. */
const RECURSION_MAX = 2;

/**
 * The methods of a document as `herdr api schema` prints it, with every reference put in place, or undefined when it is
 * no such document.
 */
export function readSchemaDocument(document: unknown): MethodSchemas | undefined {
  const request = member(member(document, 'schemas'), 'request');
  const variants = member(request, 'oneOf');
  const definitions = member(request, '$defs');
  if (!Array.isArray(variants) || !isObject(definitions)) return undefined;
  const schemas = new Map<string, JsonSchema | undefined>();
  for (const variant of variants) {
    const properties = member(variant, 'properties');
    const name = member(member(properties, 'method'), 'const');
    if (typeof name !== 'string') continue;
    const params = inline(member(properties, 'params') ?? {}, definitions, new Map());
    schemas.set(name, isObject(params) ? params : {});
  }
  return schemas.size > 0 ? schemas : undefined;
}

function inline(schema: unknown, definitions: JsonSchema, open: ReadonlyMap<string, number>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inline(item, definitions, open));
  if (!isObject(schema)) return schema;
  const reference = schema.$ref;
  if (typeof reference !== 'string') {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inline(value, definitions, open)]));
  }
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const depth = open.get(name) ?? 0;
  if (depth >= RECURSION_MAX) return {};
  const target = inline(definitions[name] ?? {}, definitions, new Map(open).set(name, depth + 1));
  const { $ref: _, ...beside } = schema;
  return isObject(target) ? { ...target, ...beside } : target;
}

/** Parameters that the schema does not have, as dotted names; lists are not looked into. */
export function unknownParams(schema: JsonSchema, params: Record<string, unknown>, prefix = ''): string[] {
  if (isOpen(schema)) return [];
  const known = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(params).flatMap(([name, value]) => {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inner === undefined) return [prefix + name];
    if (!isObject(value) || !isObject(inner)) return [];
    // With several shapes a name counts as known when any of them has it.
    const shapes = objectShapes(inner).map((shape) => unknownParams(shape, value, `${prefix}${name}.`));
    return shapes.length === 0 ? [] : shapes.reduce((a, b) => a.filter((item) => b.includes(item)));
  });
}

/** Whether the schema takes any name: a map, or nothing said. */
function isOpen(schema: JsonSchema): boolean {
  if (schema.patternProperties !== undefined) return true;
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) return true;
  return !isObject(schema.properties) && schema.type !== 'object';
}

/** The shapes of a schema that an object can have. */
function objectShapes(schema: JsonSchema): JsonSchema[] {
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : [schema];
  return branches.filter(isObject).filter(({ type }) => {
    return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  });
}

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
