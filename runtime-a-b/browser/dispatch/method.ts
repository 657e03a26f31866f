/** One method of `herdr_call`: what is forbidden is refused by its name before its schema could call it merely unknown. */
import type { TObject } from 'typebox';
import { forbiddenInput } from '../../../contract/browser/forbidden.ts';
import { BROWSER_METHODS, type BrowserMethod } from '../../../contract/browser/methods.ts';
import type { Principal } from '../../../contract/call.ts';
import type { CallClass } from '../../../contract/outcome.ts';
import type { Caller } from './grants.ts';
import { forbidden, unsupported } from './refusals.ts';

/** The part of a tool's context that a method needs; every `ToolContext` is one. */
export interface BrowserContext {
  principal: Pick<Principal, 'kind' | 'id'>;
  /** The mark of the conversation that a connector calls from; undefined when its host sends none. */
  callerSession: string | undefined;
  door: Caller['door'];
  nowMs(): number;
  deadlineAtMs: number;
  signal: AbortSignal;
}

export interface Method {
  access: CallClass;
  description: string;
  params: TObject;
  /** Looked at before the schema: what no caller may name at all is refused by its name. */
  before(params: Record<string, unknown>): void;
  run(params: Record<string, unknown>, context: BrowserContext): Promise<Record<string, unknown>>;
}

export type Run<P> = (params: P, context: BrowserContext) => Promise<Record<string, unknown>>;

/** `run` gets parameters that fit the contract's schema: whoever serves `herdr_call` has checked them. */
export function own<P>(
  name: BrowserMethod,
  access: CallClass,
  description: string,
  run: Run<P>,
): Record<string, Method> {
  return {
    [name]: {
      access,
      description,
      params: BROWSER_METHODS[name],
      before: assertNothingForbidden,
      run: (given, context) => run(given as P, context),
    },
  };
}

function assertNothingForbidden(given: Record<string, unknown>): void {
  const name = forbiddenInput(given);
  if (name !== null) throw forbidden(name);
}

export function notSupported(name: string): Method {
  return {
    access: 'write',
    description: 'Not supported by any chat site.',
    params: { type: 'object', properties: {}, additionalProperties: true } as unknown as TObject,
    before: assertNothingForbidden,
    run: () => Promise.reject(unsupported(name)),
  };
}
