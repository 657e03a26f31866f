/**
 * The bindings that the identity half reads, and what its objects promise each other over RPC.
 *
 * Each object is described here by what is called on it, so that no folder imports another one's class.
 */
import type {
  Authorization,
  Automation,
  AutomationSecret,
  Connector,
  ConnectorApprove,
  ConnectorInspect,
  Device,
  PendingRequest,
} from '../../contract/fleet/index.ts';
import type { RuntimeFacts } from '../../contract/link/index.ts';

type Branded = Rpc.DurableObjectBranded;

/** A refusal as data: a code of the contract's closed list, and its extra members. */
export interface Refused {
  ok: false;
  code: string;
  message: string;
  next: string;
  now_ms?: number;
  retry_after_ms?: number;
  tries_left?: number;
  candidates?: string[];
}

/** What routing and the identity half know of a device. */
export interface FleetDevice extends Device {
  authorization: Authorization;
  /** False only while it is certain that no link is there. */
  may_be_linked: boolean;
  /** When the last link ended. Absent while one may be there, and when there never was one. */
  link_ended_at_ms?: number;
}

/** What a device's own object says of its link. */
export interface DeviceStatus {
  connection: 'online' | 'stale' | 'offline';
  /** Since when the present link is connected. */
  connected_at_ms?: number;
  /** When it last gave a sign of life, or when the last one ended. Absent when none was ever seen. */
  last_seen_at_ms?: number;
  link_version?: string;
  boot_id?: string;
  runtime?: RuntimeFacts;
  draining: boolean;
  revoked: boolean;
  /** How many times a link has connected. */
  connections: number;
  active_calls: number;
  /** Age of the oldest call that still waits, in ms. */
  oldest_call_ms?: number;
}

export interface FleetRpc extends Branded {
  listDevices(): Promise<FleetDevice[]>;
  /** Notes that a principal has ended, and gives the devices whose own objects have to hear of it now. */
  endPrincipal(ended: { id: string; deviceId: string | null }): Promise<{ linked: string[]; away: string[] }>;
  linkEnded(deviceId: string, linkId: string): Promise<void>;
}

export interface AuthRpc extends Branded {
  listConnectors(): Promise<{ requests: PendingRequest[]; connectors: Connector[] }>;
  approve(input: ConnectorApprove & { by: string }): Promise<{ ok: true; connector: Connector } | Refused>;
  inspect(input: ConnectorInspect): Promise<{ ok: true; request?: PendingRequest; connector?: Connector } | Refused>;
  deny(requestId: string): Promise<{ ok: true; request: PendingRequest } | Refused>;
  revoke(connectorId: string): Promise<{ ok: true; connector: Connector; confirmed_by: string[] } | Refused>;
  listAutomations(): Promise<Automation[]>;
  createAutomation(input: {
    name: string;
    deviceId: string;
    by: string;
    origin: string;
  }): Promise<AutomationSecret | Refused>;
  rotateAutomation(input: { clientId: string; origin: string }): Promise<AutomationSecret | Refused>;
  revokeAutomation(clientId: string): Promise<{ ok: true; automation: Automation } | Refused>;
}

export interface WorkstationRpc extends Branded {
  /** Writes the tombstone of a connector; resolves when it is stored. Repeating it is harmless. */
  revokeConnector(connectorId: string): Promise<void>;
  /** Whether a link is there, and what runs over it. */
  status(): Promise<DeviceStatus>;
  /** Closes the device's socket with 4401 and refuses it from then on. Repeating it is harmless. */
  revokeDevice(): Promise<void>;
  /** Refuses new calls of a paused device, and of a suspended one also its socket. Resolves when it is stored. */
  setStanding(standing: { suspended: boolean; paused: boolean }): Promise<void>;
}

export interface IdentityEnv {
  AUTH: DurableObjectNamespace<AuthRpc>;
  FLEET: DurableObjectNamespace<FleetRpc>;
  WORKSTATION: DurableObjectNamespace<WorkstationRpc>;
  /** Comma-separated origins; the first is advertised. */
  ORIGINS: string;
  STAGE: string;
  /** Given by start or deploy for the first pairing, and removed afterwards. */
  OPERATOR_SECRET?: string;
  /** Keys the six-digit codes and the pages' tokens. */
  CODE_SECRET?: string;
}

/** The name of the one object of each of `AUTH` and `FLEET`. */
export const MAIN = 'main';
