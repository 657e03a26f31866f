/** The live list of tools, as the runtime gives it, and how a model is shown it. Nothing of it is written by hand. Pure. */
import { classify } from '../../../contract/call.ts';
import { DESCRIPTION_CHARS_MAX } from './limits.ts';

/** A schema of a tool's arguments, as far as it is shown. */
export interface Schema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: Schema;
}

export interface Catalogue {
  tools: readonly Tool[];
  /** Of the list: a conversation that was taught it is not taught it again. */
  digest: string;
}

/**
 * Whether a call only looks. The contract decides; what it does not know changes something, because taking a change for a
 * look is the one dangerous mistake.
 */
export const classOf = (tool: string, args: Readonly<Record<string, unknown>>): 'read' | 'write' =>
  classify(tool, { ...args });

export const takesKey = ({ inputSchema }: Tool): boolean => inputSchema.properties?.['idempotency_key'] !== undefined;

/** One tool a line, its arguments as a type. The key is left out: it is ours to give. */
export function listing(tools: readonly Tool[]): string {
  return tools
    .map((tool) => `${tool.name}(${typeOf(withoutKey(tool.inputSchema))})\n  ${oneLine(tool.description)}`)
    .join('\n');
}

function withoutKey(schema: Schema): Schema {
  const { idempotency_key: _ours, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeOf).join(' | ');
  if (typeof schema.type === 'object') return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'array': {
      const inner = typeOf(schema.items ?? {});
      return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
    }
    case 'object':
      return objectOf(schema);
    case 'integer':
      return 'number';
    case undefined:
      return schema.properties === undefined ? 'unknown' : objectOf(schema);
    default:
      return schema.type;
  }
}

function objectOf({ properties, required = [] }: Schema): string {
  if (properties === undefined) return 'object';
  const parts = Object.entries(properties).map(([name, inner]) => {
    const said = inner.description === undefined ? '' : ` /* ${oneLine(inner.description)} */`;
    return `${name}${required.includes(name) ? '' : '?'}: ${typeOf(inner)}${said}`;
  });
  return parts.length === 0 ? '{}' : `{ ${parts.join('; ')} }`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= DESCRIPTION_CHARS_MAX ? line : `${line.slice(0, DESCRIPTION_CHARS_MAX - 1)}…`;
}
