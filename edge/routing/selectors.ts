/**
 * What in a call's arguments names a workstation: the `device` selector and device-aware refs (reference: edge-link
 * 4.3). Pure. The refs are taken out and their bare ids put in place; the selector is removed.
 */
import { objectOf } from '../../contract/json.ts';
import { type DeviceRef, decodeRef } from '../../contract/refs.ts';

/** Where a ref may stand, at the top and inside `herdr_call`'s params, and which kind it may be there. */
const PLACES: Readonly<Record<string, 'workspace' | 'pane' | 'either'>> = {
  workspace: 'workspace',
  workspace_id: 'workspace',
  pane: 'pane',
  pane_id: 'pane',
  target: 'either',
};

export type Selectors =
  | {
      ok: true;
      /** As the caller wrote it. */
      device: string | undefined;
      /** Device ids inside refs, each once. */
      refDevices: string[];
      /** The arguments for the workstation. The same object when there was nothing to change. */
      args: Record<string, unknown>;
    }
  | { ok: false; field: string; problem: 'malformed' | 'pane_in_workspace' | 'workspace_in_pane' };

export function readSelectors(tool: string, args: Record<string, unknown>): Selectors {
  const refDevices = new Set<string>();
  const { device, ...rest } = args;
  const top = unwrap(rest, refDevices, '');
  if (!top.ok) return top;
  let own = top.value;
  if (tool === 'herdr_call' && typeof own.params === 'string' && own.params.includes('herdr_ref_')) {
    const params = objectOf(own.params);
    if (params) {
      const inner = unwrap(params, refDevices, 'params.');
      if (!inner.ok) return inner;
      own = { ...own, params: JSON.stringify(inner.value) };
    }
  }
  return {
    ok: true,
    device: typeof device === 'string' && device !== '' ? device : undefined,
    refDevices: [...refDevices],
    args: own,
  };
}

/** Whether anything in the call names a workstation, or tries to: a broken ref is the routing's to refuse. */
export function namesDevice(tool: string, args: Record<string, unknown>): boolean {
  const selectors = readSelectors(tool, args);
  return !selectors.ok || selectors.device !== undefined || selectors.refDevices.length > 0;
}

type Unwrapped = { ok: true; value: Record<string, unknown> } | Extract<Selectors, { ok: false }>;

function unwrap(source: Record<string, unknown>, devices: Set<string>, prefix: string): Unwrapped {
  let value = source;
  for (const [field, allowed] of Object.entries(PLACES)) {
    const text = source[field];
    if (typeof text !== 'string') continue;
    const ref = decodeRef(text);
    if (ref === null) continue;
    if (ref === 'malformed') return { ok: false, field: prefix + field, problem: 'malformed' };
    const problem = misplaced(ref, allowed);
    if (problem) return { ok: false, field: prefix + field, problem };
    devices.add(ref.device);
    value = { ...value, [field]: 'workspace' in ref ? ref.workspace : ref.pane };
  }
  return { ok: true, value };
}

function misplaced(ref: DeviceRef, allowed: 'workspace' | 'pane' | 'either') {
  if (allowed === 'workspace' && 'pane' in ref) return 'pane_in_workspace' as const;
  if (allowed === 'pane' && 'workspace' in ref) return 'workspace_in_pane' as const;
  return undefined;
}
