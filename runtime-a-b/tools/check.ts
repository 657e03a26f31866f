/** What is wrong with a call before anything is touched. Pure: the catalog's schema is the one that was published. */
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import * as Value from 'typebox/value';
import type { CallEnvelope } from '../../contract/call.ts';
import { type Tool, toolByName } from '../../contract/catalog/index.ts';
import { CURRENT_RUNTIME } from '../../contract/epochs/index.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../../contract/limits.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { echoList } from '../echo.ts';
import { flawOf } from '../well-formed.ts';
import { CONTROL_PRINCIPAL, CONTROL_TOOL } from './control/index.ts';

/** At most so many wrong places are named: the first ones explain the rest. */
const PROBLEMS_NAMED = 5;

/** Throws the {@link OutcomeError} that names what is wrong; nothing was run. */
export function checkCall(envelope: CallEnvelope, args: Record<string, unknown>): void {
  if (envelope.contract_epoch > CURRENT_RUNTIME.epoch) {
    throw new OutcomeError(
      'contract_mismatch',
      `The call was made for contract ${envelope.contract_epoch}; this runtime knows ${CURRENT_RUNTIME.epoch}. Nothing was run.`,
      { delivery: 'not_delivered', next: 'Update herdr-mcp on the workstation.' },
    );
  }
  // Held against its own contract by the one route that may submit it.
  if (envelope.tool === CONTROL_TOOL && isControl(envelope.principal)) return;
  const tool = toolByName.get(envelope.tool);
  if (!tool) {
    throw new OutcomeError('unknown_tool', `There is no tool ${quote(envelope.tool)}. Nothing was run.`, {
      next: 'Use one of the tools listed here; other methods are reached through herdr_call.',
      details: { tools: [...toolByName.keys()] },
    });
  }
  const flaw = flawOf(args);
  if (flaw === undefined && validator(tool).Check(args)) return;
  const problems = flaw === undefined ? problemsOf(tool.input, args) : [flaw];
  throw new OutcomeError('invalid_params', `${envelope.tool}: ${problems.join('; ')}. Nothing was run.`, {
    next: 'Correct the arguments; the schema of the tool lists them.',
    details: { problems },
  });
}

const isControl = ({ kind, id }: CallEnvelope['principal']): boolean =>
  kind === CONTROL_PRINCIPAL.kind && id === CONTROL_PRINCIPAL.id;

/** Compiled at a tool's first call: interpreting a schema costs a hundred times as much, on every call's way. */
const validators = new Map<string, Validator>();

function validator(tool: Tool): Validator {
  const known = validators.get(tool.name);
  if (known) return known;
  const made = Compile(tool.input);
  validators.set(tool.name, made);
  return made;
}

/** The wrong places, each with where and why. Values are never repeated: they may be long or secret. */
export function problemsOf(schema: TSchema, value: unknown): string[] {
  const problems: string[] = [];
  for (const error of Value.Errors(schema, value)) {
    if (error.keyword === 'boolean') continue; // says again, less clearly, what additionalProperties says
    const where = error.instancePath.slice(1).replaceAll('/', '.');
    if (error.keyword === 'additionalProperties') {
      const names = echoList(error.params.additionalProperties.map((name) => (where ? `${where}.${name}` : name))).map(
        quote,
      );
      problems.push(`unknown argument ${names.join(', ')}`);
    } else if (error.keyword === 'required') {
      const names = error.params.requiredProperties.map((name) => quote(where ? `${where}.${name}` : name));
      problems.push(`missing argument ${names.join(', ')}`);
    } else {
      problems.push(`${where === '' ? 'the arguments' : quote(where)} ${error.message}`);
    }
    if (problems.length >= PROBLEMS_NAMED) break;
  }
  return [...new Set(problems)];
}

const quote = (text: string): string => JSON.stringify(text.slice(0, IDEMPOTENCY_KEY_CHARS_MAX));
