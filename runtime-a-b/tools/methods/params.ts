/** The parameters of `herdr_call`: text to object, refs to ids, waits to what a call can hold. Pure. */
import * as Value from 'typebox/value';
import { entryIn, isObject } from '../../../contract/json.ts';
import { WAIT_MS_MAX } from '../../../contract/limits.ts';
import { type CallClass, OutcomeError } from '../../../contract/outcome.ts';
import { echoList } from '../../echo.ts';
import { type HerdrView, plainId } from '../../herdr/index.ts';
import { flawOf } from '../../well-formed.ts';
import { problemsOf } from '../check.ts';
import { type JsonSchema, unknownParams } from './schema.ts';

/** Throws `invalid_params_json` for text that is no JSON, `invalid_params` for JSON that is no object. */
export function parseParams(text: unknown): Record<string, unknown> {
  if (text === undefined || text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch {
    throw new OutcomeError('invalid_params_json', 'params is not valid JSON. Nothing was sent.', {
      next: 'Give params as the text of one JSON object, for example {"pane_id":"w1:p1"}.',
    });
  }
  const flaw = flawOf(value);
  if (flaw !== undefined) {
    throw new OutcomeError('invalid_params', `params: ${flaw}. Nothing was run and nothing was sent.`, {
      next: 'Correct params and call again.',
    });
  }
  if (isObject(value)) return value;
  throw new OutcomeError('invalid_params', 'params is JSON but no object. Nothing was sent.', {
    next: 'Give params as the text of one JSON object.',
  });
}

/** Parameters that may hold a device-aware ref, and what the ref must name. */
const REF_PARAMS: Readonly<Record<string, 'workspace' | 'pane'>> = {
  workspace_id: 'workspace',
  pane_id: 'pane',
  target_pane_id: 'pane',
  caller_pane_id: 'pane',
  target: 'pane',
};

/** The same parameters with plain ids. Throws for a ref of another workstation or another Herdr. */
export function withPlainIds(
  params: Record<string, unknown>,
  view: HerdrView,
  deviceId: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const what = entryIn(REF_PARAMS, name);
      return [name, what && typeof value === 'string' ? plainId(view, value, deviceId, what) : value];
    }),
  );
}

/**
 * Checks against Herdr's schema. Throws `invalid_params`; for a write also when a parameter is unknown, because a typing
 * error must not fall through to whatever is focused. For a read the unknown names are returned.
 */
export function checkParams(
  method: string,
  schema: JsonSchema,
  params: Record<string, unknown>,
  access: CallClass,
): string[] {
  const problems = Value.Check(schema, params) ? [] : problemsOf(schema, params);
  const unknown = echoList(unknownParams(schema, params));
  if (access === 'write') problems.push(...unknown.map((name) => `unknown parameter ${JSON.stringify(name)}`));
  if (problems.length === 0) return unknown;
  throw new OutcomeError('invalid_params', `${method}: ${problems.join('; ')}. Nothing was sent.`, {
    next: `Look the parameters up with herdr_methods and query ${JSON.stringify(method)}.`,
    details: { problems },
  });
}

/** Methods that wait, and how long when nobody says; Herdr itself would wait for ever. */
const WAITING: ReadonlySet<string> = new Set(['pane.wait_for_output', 'agent.wait', 'events.wait']);
const WAIT_MS_DEFAULT = 25_000;

/** Cuts a wait to what still reaches the caller. `undefined` for methods that do not wait. */
export function cutWait(
  method: string,
  params: Record<string, unknown>,
  leftMs: number,
): { params: Record<string, unknown>; effectiveMs: number } | undefined {
  if (!WAITING.has(method)) return undefined;
  const asked = typeof params.timeout_ms === 'number' ? params.timeout_ms : WAIT_MS_DEFAULT;
  const effectiveMs = Math.max(1, Math.min(asked, WAIT_MS_MAX, leftMs));
  return { params: { ...params, timeout_ms: effectiveMs }, effectiveMs };
}
