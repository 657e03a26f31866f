/** The plain subset that every host keeps: what one of them drops, none is given. */
import type { PublishedTool } from '../../contract/catalog/index.ts';
import { INPUT_SCHEMA_BYTES_MAX } from '../../contract/limits.ts';

const ALLOWED = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'enum',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

/** Faults of a tool as hosts would silently punish them. */
export function toolFaults(tool: PublishedTool): string[] {
  const bytes = new TextEncoder().encode(JSON.stringify(tool.inputSchema)).length;
  return [
    ...(bytes <= INPUT_SCHEMA_BYTES_MAX ? [] : [`inputSchema has ${bytes} bytes`]),
    ...(/^[a-zA-Z0-9_-]{1,40}$/.test(tool.name) ? [] : [`name ${tool.name}`]),
    ...(tool.description.length <= 2048 ? [] : ['description above 2 KiB']),
    ...schemaFaults(tool.inputSchema),
  ];
}

export function schemaFaults(schema: unknown, at = '#'): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${at} is no schema`];
  const record = schema as Record<string, unknown>;
  const faults = Object.keys(record)
    .filter((key) => !ALLOWED.has(key))
    .map((key) => `${at} uses ${key}`);
  if (typeof record.type !== 'string') faults.push(`${at} has no single type`);
  for (const [name, member] of Object.entries((record.properties ?? {}) as object)) {
    faults.push(...schemaFaults(member, `${at}/${name}`));
  }
  if (record.items !== undefined) faults.push(...schemaFaults(record.items, `${at}/items`));
  return faults;
}
