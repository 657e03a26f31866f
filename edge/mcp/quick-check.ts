/**
 * A fast yes for the plain subset of JSON Schema that the catalog keeps to. Compiled to closures, because in workerd no
 * code may be generated and walking a schema for each call costs more than routing it. Pure.
 *
 * `true` means: certainly valid. `false` means nothing: the schema library then judges, and names what is wrong.
 */
type Check = (value: unknown) => boolean;

interface Plain {
  type?: unknown;
  enum?: unknown;
  properties?: Record<string, Plain>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Plain;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

const KNOWN: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'description',
  'title',
  'default',
]);

const never: Check = () => false;

export function compileQuick(schema: Record<string, unknown>): Check {
  if (Object.keys(schema).some((keyword) => !KNOWN.has(keyword))) return never;
  const plain = schema as Plain;
  switch (plain.type) {
    case 'string':
      return stringCheck(plain);
    case 'integer':
      return numberCheck(plain, Number.isInteger);
    case 'number':
      return numberCheck(plain, Number.isFinite);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'array':
      return arrayCheck(plain);
    case 'object':
      return objectCheck(plain);
    default:
      return never;
  }
}

/** Lengths are counted in UTF-16 units, of which a text never has fewer than characters, so a minimum above 1 is left to the library. */
function stringCheck({ enum: words, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Plain): Check {
  if (minLength > 1) return never;
  const allowed = Array.isArray(words) ? new Set<unknown>(words) : undefined;
  return (value) =>
    typeof value === 'string' &&
    value.length >= minLength &&
    value.length <= maxLength &&
    (allowed === undefined || allowed.has(value));
}

function numberCheck(
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, enum: words }: Plain,
  kind: (value: number) => boolean,
): Check {
  if (words !== undefined) return never;
  return (value) => typeof value === 'number' && kind(value) && value >= minimum && value <= maximum;
}

function arrayCheck({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Plain): Check {
  if (items === undefined) return never;
  const item = compileQuick(items as Record<string, unknown>);
  return (value) =>
    Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every((entry) => item(entry));
}

function objectCheck({ properties, required = [], additionalProperties }: Plain): Check {
  if (additionalProperties !== false || properties === undefined) return never;
  const checks = new Map(
    Object.entries(properties).map(([name, schema]) => [name, compileQuick(schema as Record<string, unknown>)]),
  );
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const [name, member] of Object.entries(value)) {
      const check = checks.get(name);
      if (check === undefined || !check(member)) return false;
    }
    return true;
  };
}
