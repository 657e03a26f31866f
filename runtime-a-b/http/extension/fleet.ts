/** `GET /extension/fleet`: the workstations of this fleet. That nobody could list them is a normal answer. */
import type { HttpParts } from '../parts.ts';

export async function fleetDevices({ fleet }: Pick<HttpParts, 'fleet'>): Promise<Response> {
  return Response.json(await fleet.list(), { headers: { 'cache-control': 'no-store' } });
}
