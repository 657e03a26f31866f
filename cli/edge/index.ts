/** REST calls to the edge as this workstation. An answer is checked against its schema before anything believes it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { type DeviceRequest, openIdentity, refusedByEdge, requestAsDevice } from '../../link/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';

export interface Edge {
  /** Sends and gives the checked answer. Throws a `LocalError` with the edge's own sentence when it refuses. */
  call<S extends TSchema>(schema: S, request: DeviceRequest, what: string): Promise<Static<S>>;
  /** A body that is no JSON, at most `bytesMax`. */
  fetchBytes(path: string, bytesMax: number, what: string): Promise<{ bytes: Buffer; headers: IncomingHttpHeaders }>;
  origin: string;
  mcpUrl: string;
  deviceId: string;
}

/** Opens the identity of the state folder. Throws when this machine is not paired. */
export async function openEdge(env: NodeJS.ProcessEnv = process.env): Promise<Edge> {
  const { device, signer } = await openIdentity(resolveStateDir(env));
  return {
    origin: device.edge_origin,
    mcpUrl: device.mcp_url,
    deviceId: device.device_id,
    async call(schema, request, what) {
      const answer = await requestAsDevice(device.edge_origin, signer, request, env);
      if (answer.status >= 200 && answer.status < 300 && Value.Check(schema, answer.body)) return answer.body;
      throw refusedByEdge(answer, what);
    },
    async fetchBytes(path, bytesMax, what) {
      const request = { method: 'GET', path, bytes: { answerMax: bytesMax } } as const;
      const answer = await requestAsDevice(device.edge_origin, signer, request, env);
      if (answer.status === 200 && answer.raw !== undefined) return answer.raw;
      throw refusedByEdge(answer, what);
    },
  };
}
