/** What the fleet refuses, in words for the person at a workstation. */
import { type Refused, refusal } from '../http/index.ts';
import type { Changed } from './devices.ts';

export const incomplete = ({ device }: Extract<Changed, { ok: true }>): Refused =>
  device.authorization === 'revoked'
    ? refusal(
        'device_revoke_incomplete',
        `${device.name} is revoked and gets no new call, but its open connection has not confirmed the end yet.`,
        'Run the same command again; it goes on where this one stopped.',
      )
    : refusal(
        'device_change_incomplete',
        `The registry says what you asked for, but ${device.name} itself has not confirmed it yet.`,
        'Run the same command again; it goes on where this one stopped.',
      );

export const authFailed = (): Refused =>
  refusal(
    'device_auth_failed',
    'This is no valid token of a paired device. Nothing was changed.',
    'Run `herdr-mcp doctor` on the workstation; pair it again if its device was removed.',
  );

export const clockSkew = (nowMs: number): Refused =>
  refusal(
    'device_clock_skew',
    "The token's times do not fit the edge's clock, which is given as `now_ms`. Nothing was changed.",
    'Correct by the difference and try once more; set the clock of the workstation.',
    { now_ms: nowMs },
  );

export const replayed = (): Refused =>
  refusal(
    'device_token_replayed',
    'This token was used before; each is accepted once. Nothing was changed.',
    'Make a new token for every request.',
  );

export const revoked = (name: string): Refused =>
  refusal(
    'device_revoked',
    `${name} was revoked, which cannot be undone. Nothing was changed.`,
    'Pair the machine again from a paired workstation: it becomes a new device.',
  );

export const suspended = (name: string): Refused =>
  refusal(
    'device_suspended',
    `${name} is suspended. Nothing was changed.`,
    'Restore it from another paired workstation: `herdr-mcp worker restore`.',
  );

export const slowDown = (waitMs: number): Refused =>
  refusal('rate_limited', 'Too many attempts. Nothing was changed.', 'Wait as long as `retry_after_ms` says.', {
    retry_after_ms: waitMs,
  });

export const misconfigured = (): Refused =>
  refusal(
    'edge_misconfigured',
    'The edge has no CODE_SECRET, so it cannot make codes. Nothing was changed.',
    'Set it (`npx wrangler secret put CODE_SECRET` for a deployed edge) and try again.',
  );

export const operatorRejected = (): Refused =>
  refusal(
    'operator_secret_rejected',
    'This is not the operator secret of this edge. No pairing was opened.',
    'Use the one that was set as OPERATOR_SECRET, or make the pairing on a paired workstation.',
  );

export const operatorSpent = (): Refused =>
  refusal(
    'operator_secret_spent',
    'The operator secret works once, and a device has been paired. No pairing was opened.',
    'Make the pairing on a paired workstation: `herdr-mcp worker pair`.',
  );
