/**
 * Which workstation a call goes to (design, section 5): explicit `device`, else the device inside a ref, else the one
 * that the approval is bound to, else the configured default, else the only one that can be routed to, else the
 * candidates. Chosen once; never another machine than the one first chosen, and never by who happens to be online.
 */
import type { OutcomeCode } from '../../contract/outcome.ts';
import { readSelectors, type Selectors } from './selectors.ts';

export interface RoutableDevice {
  device_id: string;
  name: string;
  authorization: 'active' | 'suspended' | 'revoked';
  paused: boolean;
  /** Present for the fleet's own default. */
  is_default?: true;
}

export interface RouteQuestion {
  tool: string;
  args: Record<string, unknown>;
  devices: readonly RoutableDevice[];
  /** The only device of this caller's approval. */
  boundTo?: string | undefined;
  /** Device id or name of the deployment's default; what the fleet itself has set goes before it. */
  defaultDevice?: string | undefined;
}

export type Route =
  | {
      ok: true;
      deviceId: string;
      reason: 'explicit' | 'ref' | 'bound' | 'default' | 'only';
      /** Without `device`, refs unwrapped. */
      args: Record<string, unknown>;
    }
  | RouteRefusal;

export interface RouteRefusal {
  ok: false;
  code: OutcomeCode;
  message: string;
  next: string;
  details?: Record<string, unknown>;
}

export function route(question: RouteQuestion): Route {
  const selectors = readSelectors(question.tool, question.args);
  if (!selectors.ok) return badRef(selectors);
  const visible = question.devices.filter((device) => !question.boundTo || device.device_id === question.boundTo);
  const { args, refDevices } = selectors;
  if (needsSelector(question)) {
    if (selectors.device === undefined) return explicitOnly(visible);
    if (refDevices.length > 0) return conflict('This method takes no ref.', refDevices);
  }
  const choose = (device: RoutableDevice, reason: Extract<Route, { ok: true }>['reason']): Route =>
    notRoutable(device) ?? { ok: true, deviceId: device.device_id, reason, args };

  if (refDevices.length > 1) return conflict('The refs in this call belong to different workstations.', refDevices);
  const [refDevice] = refDevices;
  if (selectors.device !== undefined) {
    const named = find(visible, selectors.device);
    if (named.length > 1) return ambiguous(named, `Several workstations are called ${selectors.device}.`);
    const [device] = named;
    if (!device) return question.boundTo ? notAllowed(visible) : notFound(selectors.device, visible);
    if (refDevice !== undefined && refDevice !== device.device_id) {
      return conflict(`\`device\` names ${device.name}, and a ref in this call belongs to another workstation.`, [
        device.device_id,
        refDevice,
      ]);
    }
    return choose(device, 'explicit');
  }
  if (refDevice !== undefined) {
    if (question.boundTo && refDevice !== question.boundTo) return notAllowed(visible);
    const device = question.devices.find((candidate) => candidate.device_id === refDevice);
    return device ? choose(device, 'ref') : notFound(refDevice, visible);
  }
  if (question.boundTo) {
    const [device] = visible;
    return device ? choose(device, 'bound') : notFound(question.boundTo, []);
  }
  const ofFleet = question.devices.find((device) => device.is_default);
  if (ofFleet) return choose(ofFleet, 'default');
  if (question.defaultDevice) {
    const [device, second] = find(question.devices, question.defaultDevice);
    if (second) return ambiguous([...question.devices], 'The configured default name belongs to several workstations.');
    return device ? choose(device, 'default') : notFound(question.defaultDevice, visible);
  }
  return theOnly(visible, choose);
}

/** Copying text between machines: which of them is never left to a default (reference: edge-link 1.6). */
const EXPLICIT_ONLY: ReadonlySet<unknown> = new Set(['herdr_mcp.text.read', 'herdr_mcp.text.write']);

function needsSelector({ tool, args }: RouteQuestion): boolean {
  return tool === 'herdr_call' && EXPLICIT_ONLY.has(args.method);
}

function explicitOnly(visible: readonly RoutableDevice[]): RouteRefusal {
  return {
    ok: false,
    code: 'device_required',
    message:
      'This method copies text between machines, so the call itself has to name the workstation. Nothing was sent.',
    next: 'Send the call again with `device` set.',
    details: { candidates: candidates(visible) },
  };
}

function theOnly(devices: readonly RoutableDevice[], choose: (device: RoutableDevice, reason: 'only') => Route): Route {
  const living = devices.filter((device) => device.authorization !== 'revoked');
  const routable = living.filter((device) => !notRoutable(device));
  const [device, second] = routable.length > 0 ? routable : living;
  if (device && !second) return choose(device, 'only');
  if (device) return ambiguous(routable.length > 0 ? routable : living, 'Several workstations could be meant.');
  return {
    ok: false,
    code: 'no_device_paired',
    message: 'No workstation is paired with this edge. Nothing was sent.',
    next: 'Pair one: `herdr-mcp worker connect` on the workstation.',
  };
}

/** By id, or by exact name among devices that live; a revoked one is found by its id only, to be told so. */
function find(devices: readonly RoutableDevice[], selector: string): RoutableDevice[] {
  const byId = devices.filter((device) => device.device_id === selector);
  if (byId.length > 0) return byId;
  return devices.filter((device) => device.name === selector && device.authorization !== 'revoked');
}

function notRoutable(device: RoutableDevice): RouteRefusal | undefined {
  const because = { details: { device_id: device.device_id, name: device.name } };
  if (device.authorization === 'revoked') {
    return {
      ok: false,
      code: 'device_revoked',
      message: `${device.name} was revoked. Nothing was sent.`,
      next: 'Use another workstation that herdr_devices lists.',
      ...because,
    };
  }
  if (device.authorization === 'suspended') {
    return {
      ok: false,
      code: 'device_suspended',
      message: `${device.name} is suspended. Nothing was sent.`,
      next: 'Its owner restores it: `herdr-mcp worker restore`.',
      ...because,
    };
  }
  if (device.paused) {
    return {
      ok: false,
      code: 'device_paused',
      message: `${device.name} is paused and takes no calls. Nothing was sent.`,
      next: 'Its owner resumes it: `herdr-mcp worker resume`.',
      ...because,
    };
  }
  return undefined;
}

const candidates = (devices: readonly RoutableDevice[]) =>
  devices.filter((device) => device.authorization !== 'revoked').map(({ device_id, name }) => ({ device_id, name }));

function ambiguous(devices: readonly RoutableDevice[], what: string): RouteRefusal {
  return {
    ok: false,
    code: 'device_ambiguous',
    message: `${what} None was chosen and nothing was sent.`,
    next: 'Send the call again with `device` set to the id of the one that is meant.',
    details: { candidates: candidates(devices) },
  };
}

function notFound(selector: string, visible: readonly RoutableDevice[]): RouteRefusal {
  return {
    ok: false,
    code: 'device_not_found',
    message: `No workstation with the id or name ${JSON.stringify(selector.slice(0, 128))} is paired. Nothing was sent.`,
    next: 'Use an id or name that herdr_devices lists.',
    details: { candidates: candidates(visible) },
  };
}

/** The same for a device that exists and for one that does not: a bound caller learns nothing of the others. */
function notAllowed(visible: readonly RoutableDevice[]): RouteRefusal {
  return {
    ok: false,
    code: 'device_not_allowed',
    message: 'This connection is approved for one workstation only, and the call names another. Nothing was sent.',
    next: 'Leave `device` out, or ask the owner to approve a connection for the other workstation.',
    details: { candidates: candidates(visible) },
  };
}

function conflict(what: string, devices: string[]): RouteRefusal {
  return {
    ok: false,
    code: 'device_ref_conflict',
    message: `${what} Nothing was sent.`,
    next: 'Use refs of one workstation in a call, and a `device` that fits them or none.',
    details: { devices },
  };
}

function badRef({ field, problem }: Extract<Selectors, { ok: false }>): RouteRefusal {
  const what = {
    malformed: 'looks like a ref and is none',
    pane_in_workspace: 'holds the ref of a pane where a workspace is expected',
    workspace_in_pane: 'holds the ref of a workspace where a pane is expected',
  }[problem];
  return {
    ok: false,
    code: 'device_ref_conflict',
    message: `\`${field}\` ${what}. Nothing was sent.`,
    next: 'Copy the ref exactly as herdr_inspect gives it.',
    details: { field },
  };
}
