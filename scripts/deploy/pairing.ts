/**
 * The first workstation of a new edge, and the end of the secret that let it in. The edge spends the operator secret when
 * it pairs; here it is also taken away and tried once more, so that its death is seen and not believed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as Value from 'typebox/value';
import { FleetRefusal } from '../../contract/fleet/index.ts';
import { type Device, pairFirst } from '../../link/identity/index.ts';
import { type EdgeAnswer, type Environment, requestEdge } from '../../link/network/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { OPERATOR_TRIES, OPERATOR_TRY_MS } from './limits.ts';

export interface OperatorWaits {
  everyMs: number;
  tries: number;
}

const WAITS: OperatorWaits = { everyMs: OPERATOR_TRY_MS, tries: OPERATOR_TRIES };

/** Pairs this machine. A secret that the edge does not know *yet* is tried again: it travels for some seconds. */
export async function pairFirstHere(
  origin: string,
  secret: string,
  context: { stateDir: string; environment: Environment; waits?: OperatorWaits },
): Promise<Device> {
  const { stateDir, environment, waits = WAITS } = context;
  for (let turn = 1; ; turn += 1) {
    try {
      return await pairFirst(origin, secret, { stateDir, environment });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      if (error.code === 'operator_secret_spent') throw taken(origin);
      if (error.code !== 'operator_secret_rejected' || turn >= waits.tries) throw error;
      await sleep(waits.everyMs);
    }
  }
}

const taken = (origin: string) =>
  new LocalError(
    'edge_has_workstations',
    `The edge at ${origin} has a workstation already, and it is not this machine, so the first pairing is over.`,
    'Run `herdr-mcp worker pair` on that workstation and `herdr-mcp worker connect` here. If its answer to this machine got lost and nobody uses this edge yet: `npx wrangler delete`, then deploy again.',
  );

/**
 * Tries a secret that should be dead. Resolves with what the edge said when it refused; throws when it let us in or could
 * not be asked. `operator_secret_spent` is a refusal too: a copy of the Worker that still has the secret, of no use.
 */
export async function proveDead(
  origin: string,
  secret: string,
  context: { environment: Environment; waits?: OperatorWaits },
): Promise<'operator_secret_rejected' | 'operator_secret_spent'> {
  const { environment, waits = WAITS } = context;
  for (let turn = 1; ; turn += 1) {
    const said = await tryOnce(origin, secret, environment);
    if (said === 'operator_secret_rejected') return said;
    if (turn >= waits.tries) {
      if (said === 'operator_secret_spent') return said;
      throw new LocalError(
        'operator_secret_unproved',
        `The operator secret was removed, and ${origin} did not say that it refuses it (${said}).`,
        'Run the same command again: it only looks at this once more.',
      );
    }
    await sleep(waits.everyMs);
  }
}

async function tryOnce(origin: string, secret: string, environment: Environment): Promise<string> {
  const url = new URL('/devices/pairings', origin);
  let answer: EdgeAnswer;
  try {
    answer = await requestEdge({ method: 'POST', url, bearer: secret, body: {}, environment });
  } catch (error) {
    return error instanceof Error ? error.message : 'no answer';
  }
  if (Value.Check(FleetRefusal, answer.body)) return answer.body.code;
  if (answer.status >= 200 && answer.status < 300) {
    throw new LocalError(
      'operator_secret_alive',
      `The operator secret still opens a pairing at ${origin}, although a workstation is paired and it was removed.`,
      'Delete the Worker (`npx wrangler delete`) and report this; do not use this edge.',
    );
  }
  return `status ${answer.status}`;
}
