/**
 * What a private method behind `herdr_call` is: its parameters, whether it changes something, and what it does. The
 * families here export tables of them; whoever serves `herdr_call` merges the tables and records writes in the ledger.
 */
import type { Static, TObject } from 'typebox';
import * as Value from 'typebox/value';
import type { Principal } from '../../contract/call.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { storeFailure } from './store-failure.ts';

/** The part of a tool's context that a method needs; every `ToolContext` is one. */
export interface MethodContext {
  dispatchId: string;
  principal: Pick<Principal, 'kind' | 'id'>;
  deviceId: string;
  /** ms since 1970. */
  nowMs(): number;
  /** Which Herdr answers now: plain workspace ids are meant on it. */
  live: { view(): { server: { key: string } | undefined } };
}

export interface LocalMethod {
  /** A plain object schema that refuses unknown members. */
  params: TObject;
  access: 'read' | 'write';
  /**
   * The write and the record of its answer are one transaction: after a kill, `writtenAnswer` says what it did, and no
   * record means that it did nothing. Writes in several steps are not, and of them nobody can say that.
   */
  atomic: boolean;
  /** The members of the answer beside `ok: true`. Throws an {@link OutcomeError}. */
  run(params: Record<string, unknown>, context: MethodContext): Promise<Record<string, unknown>>;
}

export type LocalMethods = Readonly<Record<string, LocalMethod>>;

/** Wrong places named in one refusal. */
const PROBLEMS_NAMED = 5;

/** A method whose parameters are checked against its own schema before it runs, whoever calls it. */
export function method<const Params extends TObject>(
  access: LocalMethod['access'],
  params: Params,
  run: (params: Static<Params>, context: MethodContext) => Promise<Record<string, unknown>> | Record<string, unknown>,
): LocalMethod {
  return {
    params,
    access,
    atomic: false,
    async run(given, context) {
      if (!Value.Check(params, given)) throw wrongParams(params, given);
      try {
        return await run(given as Static<Params>, context);
      } catch (error) {
        throw storeFailure(error, access);
      }
    },
  };
}

function wrongParams(schema: TObject, given: unknown): OutcomeError {
  const problems = Value.Errors(schema, given)
    .slice(0, PROBLEMS_NAMED)
    .map((error) => `${error.instancePath.slice(1).replaceAll('/', '.') || 'the parameters'} ${error.message}`);
  return new OutcomeError('invalid_params', `The parameters do not fit: ${problems.join('; ')}. Nothing was done.`, {
    next: 'herdr_methods shows the parameters of every method.',
    details: { problems },
  });
}
