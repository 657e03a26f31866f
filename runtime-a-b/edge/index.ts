/** The runtime's own questions to the edge, asked as the paired device. */
import { objectOf } from '../../contract/json.ts';
import { LocalError } from '../../local/error/index.ts';
import { type DeviceTokens, deviceTokens } from './device-token.ts';
import { type Posted, post } from './post.ts';

export { type PostCode, type Posted, post } from './post.ts';

export interface EdgeDoor {
  /** Without a body it is a GET. Undefined: this machine is not paired, or its key cannot be had. Never rejects. */
  send(path: string, body: unknown, limitMs: number, signal: AbortSignal): Promise<Posted | undefined>;
}

export function createEdgeDoor(stateDir: string, nowMs: () => number): EdgeDoor {
  let tokens: DeviceTokens | undefined;
  return {
    async send(path: string, body: unknown, limitMs: number, signal: AbortSignal): Promise<Posted | undefined> {
      const endAtMs = nowMs() + limitMs;
      try {
        tokens ??= await deviceTokens(stateDir, nowMs);
      } catch (error) {
        if (!(error instanceof LocalError) && !(error instanceof SyntaxError)) throw error;
        return undefined;
      }
      if (!tokens) return undefined;
      for (let attempts = 0; ; attempts++) {
        const headers = { authorization: `Bearer ${tokens.token()}`, 'content-type': 'application/json' };
        const method = body === undefined ? ('GET' as const) : ('POST' as const);
        const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const answer = await post(new URL(path, tokens.origin).href, request, endAtMs - nowMs(), signal);
        if (answer.kind === 'answer' || answer.code !== 'http_401' || attempts > 0) return answer;
        // A wrong clock is told the right one; otherwise the key may have been rotated, and is read anew.
        const clock = objectOf(answer.body ?? '')?.now_ms;
        if (typeof clock === 'number') tokens.correctClock(clock);
        else tokens = (await deviceTokens(stateDir, nowMs).catch(() => undefined)) ?? tokens;
      }
    },
  };
}
