/** Who asks for an artifact: a paired device, a connector, or whoever holds its capability. */
import { authenticate } from '../auth/index.ts';
import type { Env } from '../env.ts';
import { authenticateDevice } from '../fleet/index.ts';

export type Asking =
  | { kind: 'device'; id: string; readOnly: false }
  | { kind: 'principal'; id: string; readOnly: boolean }
  | { kind: 'capability'; capability: string }
  /** `challenge` is where a host finds its way to a sign-in. */
  | { kind: 'nobody'; challenge?: string };

/** The three bearers differ by their shape: a device's token has dots, a connector's colons, a capability neither. */
export async function askingOf(request: Request, env: Env): Promise<Asking> {
  const bearer = /^Bearer +([^\s]+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  if (/^[0-9a-f]{64}$/.test(bearer)) return { kind: 'capability', capability: bearer };
  if (bearer.includes('.')) {
    const device = await authenticateDevice(request, env);
    return device.ok ? { kind: 'device', id: device.deviceId, readOnly: false } : { kind: 'nobody' };
  }
  const caller = await authenticate(request, env, { fresh: true });
  if (caller.ok) return { kind: 'principal', id: caller.principal.id, readOnly: caller.principal.readOnly };
  const challenge = caller.response.headers.get('www-authenticate');
  return challenge === null ? { kind: 'nobody' } : { kind: 'nobody', challenge };
}
