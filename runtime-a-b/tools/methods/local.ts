/** Methods of `herdr_call` that this workstation answers itself. They are never forwarded to Herdr. */
import type { TObject } from 'typebox';
import type { CallClass } from '../../../contract/outcome.ts';
import type { ToolAnswer, ToolContext } from '../context.ts';

export interface LocalMethod {
  access: CallClass;
  description?: string;
  params: TObject;
  /** Refuses what may not even be named, before the parameters are held against `params`. */
  before?: (params: Record<string, unknown>) => void;
  /** Gets parameters that fit `params`. */
  run: (params: Record<string, unknown>, context: ToolContext) => Promise<ToolAnswer>;
}

/** A method as continuity and Work Memory offer it: the answer's members alone. */
export interface PlainMethod {
  access: CallClass;
  description?: string;
  params: TObject;
  before?: (params: Record<string, unknown>) => void;
  run: (params: Record<string, unknown>, context: ToolContext) => Promise<Record<string, unknown>>;
}

/** The same methods as this tool serves them. */
export function asLocal(methods: Readonly<Record<string, PlainMethod>>): LocalMethods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, { access, description, params, before, run }]) => [
      name,
      {
        access,
        ...(description === undefined ? {} : { description }),
        params,
        ...(before === undefined ? {} : { before }),
        run: async (given, context) => ({ ok: true, body: await run(given, context) }),
      },
    ]),
  );
}

export type LocalMethods = Readonly<Record<string, LocalMethod>>;

/** Name spaces that are ours: an unknown name inside one is a mistake, not a method of Herdr's. */
const OWN_SPACES = ['herdr_mcp.', 'continuity.', 'work_memory.', 'artifact.'] as const;

export function isLocalName(method: string): boolean {
  return OWN_SPACES.some((space) => method.startsWith(space));
}
