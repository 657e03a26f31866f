/** Are these the arguments of that tool? Checked against the very schema that is published. Pure. */
import Schema from 'typebox/schema';
import type { FrozenContract } from '../../contract/epochs/index.ts';
import { BODY_BYTES_MAX } from '../../contract/limits.ts';
import { ARGUMENT_PROBLEMS_MAX, SUGGESTIONS_MAX } from '../limits.ts';
import { compileQuick } from './quick-check.ts';

export interface Refusal {
  code: 'unknown_tool' | 'invalid_params';
  message: string;
  next: string;
  details?: Record<string, unknown>;
}

interface Checked {
  schema: Record<string, unknown>;
  quick: (value: unknown) => boolean;
}

const compiled = new WeakMap<FrozenContract, Map<string, Checked>>();

function checkedTool(contract: FrozenContract, tool: string): Checked | undefined {
  let known = compiled.get(contract);
  if (!known) {
    known = new Map(
      contract.tools.map(({ name, inputSchema }) => [name, { schema: inputSchema, quick: compileQuick(inputSchema) }]),
    );
    compiled.set(contract, known);
  }
  return known.get(tool);
}

/** `undefined` when the call may go on. */
export function checkCall(contract: FrozenContract, tool: string, args: Record<string, unknown>): Refusal | undefined {
  const known = checkedTool(contract, tool);
  if (!known) return unknownTool(contract, tool);
  const { schema, quick } = known;
  if (quick(args) || Schema.Check(schema, args)) return undefined;
  const [, errors] = Schema.Errors(schema, args);
  const problems = [...new Set(errors.filter(({ keyword }) => keyword !== 'boolean').map(problemOf))];
  const properties = Object.keys((schema.properties as Record<string, unknown> | undefined) ?? {});
  return {
    code: 'invalid_params',
    message: `The arguments do not fit ${tool}: ${problems.slice(0, ARGUMENT_PROBLEMS_MAX).join('; ')}. Nothing was sent.`,
    next: 'Correct the arguments and call again.',
    details: { accepted: properties, required: schema.required ?? [] },
  };
}

function problemOf(error: { instancePath: string; keyword: string; message: string; params: object }): string {
  const where = error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')} `;
  const params = error.params as {
    requiredProperties?: string[];
    additionalProperties?: string[];
    allowedValues?: unknown[];
  };
  if (params.requiredProperties) return `${where}lacks ${params.requiredProperties.join(', ')}`.trim();
  if (params.additionalProperties) {
    return `${where}does not accept ${params.additionalProperties.map((name) => name.slice(0, 64)).join(', ')}`.trim();
  }
  if (params.allowedValues) return `${where}must be one of ${params.allowedValues.join(', ')}`;
  return `${where}${error.message}`;
}

function unknownTool(contract: FrozenContract, tool: string): Refusal {
  const names = closeNames(
    tool,
    contract.tools.map(({ name }) => name),
  );
  return {
    code: 'unknown_tool',
    message: `There is no tool ${JSON.stringify(tool.slice(0, 64))}. Nothing was sent.`,
    next:
      names.length > 0
        ? `Did you mean ${names.join(' or ')}? tools/list gives every tool.`
        : 'Use a tool that tools/list gives; refresh the list if it is old.',
    details: { close_names: names },
  };
}

/** Known names that a misspelt one may have meant, closest first. */
export function closeNames(name: string, known: readonly string[]): string[] {
  const plain = bare(name.slice(0, 64));
  return known
    .map((candidate) => ({ candidate, distance: distance(plain, bare(candidate)) }))
    .filter(({ candidate, distance: far }) => far <= Math.max(2, plain.length / 3) || shares(plain, bare(candidate)))
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ candidate }) => candidate);
}

const bare = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^herdr_/, '');

/** Whether they have a word in common, or one begins with the other's word. */
function shares(a: string, b: string): boolean {
  const words = a.split('_').filter((word) => word.length > 2);
  return b
    .split('_')
    .filter((word) => word.length > 2)
    .some((other) => words.some((word) => word.startsWith(other) || other.startsWith(word)));
}

/** Levenshtein. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The body's limit, said where a body is too long. */
export const BODY_TOO_LONG = `Payload too large: a request may have ${BODY_BYTES_MAX} bytes. Nothing was run; send it in parts, a large file by several calls`;
