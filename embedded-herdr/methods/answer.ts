import { Check } from 'typebox/value';
import { HERDR_METHODS, type HerdrMethod, isModelledMethod, METHOD_PARAMS } from '../../contract/herdr/index.ts';
import type { Session } from '../session/index.ts';
import type { Answer, Answerer } from '../socket/index.ts';
import { agentMethods } from './agents.ts';
import { type Call, CallError, CallerGone, type Given, type Handlers } from './call.ts';
import { inputMethods } from './input.ts';
import { paneMethods } from './panes.ts';
import { repeatedKey } from './repeated-key.ts';
import { reportingMethods } from './reporting.ts';
import { serverMethods } from './server.ts';
import { eventMethods } from './subscribe.ts';
import { workspaceMethods } from './workspaces.ts';
import { worktreeMethods } from './worktrees.ts';

const HANDLERS: Handlers = {
  ...serverMethods,
  ...workspaceMethods,
  ...paneMethods,
  ...inputMethods,
  ...agentMethods,
  ...eventMethods,
  ...reportingMethods,
  ...worktreeMethods,
};

const KNOWN: ReadonlySet<string> = new Set(HERDR_METHODS);

const refusal = (id: string, code: string, message: string): Answer => ({ line: { id, error: { code, message } } });

interface Request {
  id: string;
  method: string;
  params: unknown;
}

/** The request in a line, or why there is none. */
export function parseRequest(line: string): Request | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `the line is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the line is not a JSON object';
  const { id, method, params }: Partial<Record<keyof Request, unknown>> = value;
  if (typeof id !== 'string') return 'id must be a string';
  if (typeof method !== 'string') return 'method must be a string';
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return 'params must be an object';
  const twice = repeatedKey(line);
  if (twice !== undefined) return `the key ${JSON.stringify(twice)} stands twice in one object`;
  return { id, method, params };
}

const isFollowed = (given: Given<object>): given is Exclude<Given<object>, object> & { result: object } =>
  !('type' in given) && 'result' in given;

async function handle(method: HerdrMethod, params: unknown, call: Call): Promise<Given<object>> {
  // The table's types tie each handler to its parameters; which method it is shows only at run time.
  const handler = HANDLERS[method] as (params: unknown, call: Call) => Given<object> | Promise<Given<object>>;
  return handler(params, call);
}

export interface AnswererPorts {
  session: Session;
  stopServer(): void;
  git: Call['git'];
}

/**
 * Answers request lines over a session. What cannot be parsed as a request is refused with an empty id, as Herdr does;
 * a method of its schema that is not built here with `not_implemented`. No caller can make it throw.
 */
export function answerer(ports: AnswererPorts): Answerer {
  return async (line, ears) => {
    const request = parseRequest(line);
    if (typeof request === 'string') return refusal('', 'invalid_request', request);
    const { id, method, params } = request;
    if (!KNOWN.has(method)) return refusal('', 'invalid_request', `there is no method ${JSON.stringify(method)}`);
    if (!isModelledMethod(method)) {
      return refusal(id, 'not_implemented', `${method} exists in Herdr but not in this embedded server`);
    }
    if (!Check(METHOD_PARAMS[method], params)) {
      return refusal('', 'invalid_request', `the params of ${method} do not fit its schema`);
    }
    try {
      const given = await handle(method, params, { ...ports, ears });
      if (!isFollowed(given)) return { line: { id, result: given } };
      const { result, ...after } = given as { result: object } & Omit<Answer, 'line'>;
      return { line: { id, result }, ...after };
    } catch (error) {
      if (error instanceof CallerGone) return undefined;
      if (error instanceof CallError) return refusal(id, error.code, error.message);
      ports.session.ports.log.error({ method, error }, 'a call failed inside the server');
      return refusal(id, 'internal_error', `${method} failed inside the server; its log has the reason`);
    }
  };
}
