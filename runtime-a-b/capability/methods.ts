/** `herdr_mcp.capability.scan` and `.inventory`: for people at the workstation; planners get the compact form. */
import type { TObject } from 'typebox';
import * as Type from 'typebox';
import type { Principal } from '../../contract/call.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import type { Capability } from './capability.ts';

interface ScanContext {
  principal: Principal;
  signal: AbortSignal;
}

export interface CapabilityMethod {
  access: 'read' | 'write';
  description: string;
  params: TObject;
  run: (params: Record<string, unknown>, context: ScanContext) => Promise<Record<string, unknown>>;
}

const closed = { additionalProperties: false } as const;
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export function capabilityMethods(capability: Capability): Readonly<Record<string, CapabilityMethod>> {
  return {
    'herdr_mcp.capability.inventory': {
      access: 'read',
      description: 'What the last scan found out about each kind of agent, with where it is known from.',
      params: Type.Object({}, closed),
      run: async () => ({ ...capability.inventory() }),
    },
    'herdr_mcp.capability.scan': {
      access: 'write',
      description: 'Looks again which agents are installed and asks known ones for their version.',
      params: Type.Object(
        { probe: flag('Also reads their help.'), refresh: flag('Believes nothing that is known.') },
        closed,
      ),
      async run(params, { principal, signal }) {
        assertPerson(principal);
        const { records, ...rest } = await capability.scan(
          { deep: params.probe === true, refresh: params.refresh === true },
          signal,
        );
        return { ...rest, records };
      },
    },
  };
}

/** A scan runs programs that lie on the workstation's PATH. */
function assertPerson({ kind, id }: Principal): void {
  if (kind === 'local' && id !== 'extension') return;
  throw new OutcomeError(
    'local_person_required',
    'Agents are scanned only for a person at the workstation. Nothing was run.',
    { next: 'Run herdr-mcp scan there; herdr_inspect shows what the last scan found.' },
  );
}
