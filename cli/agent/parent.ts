/** Which local agent runs this command: the one in whose pane it was started. */
import { createHerdrClient, HerdrFailure, serverOf } from '../../runtime-a-b/herdr/index.ts';

/** The pane's server is on this machine and answers at once, or is gone. */
const PING_MS = 2_000;

/**
 * The pane of the agent that calls, with the key of its Herdr in front, because two servers both have a `w1:p1`. Undefined
 * outside of Herdr, in a pane without an agent, and where that Herdr does not answer: then nobody is named as the parent.
 */
export async function callersPane(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { HERDR_PANE_ID: pane, HERDR_SOCKET_PATH: socket } = env;
  if (!pane || !socket) return undefined;
  try {
    const herdr = createHerdrClient(socket);
    const pong = await herdr.call('ping', {}, { timeoutMs: PING_MS });
    // A pane that was moved to another workspace has a new id; the environment's is then an alias, and no agent answers to it.
    const { pane: now } = await herdr.call('pane.get', { pane_id: pane }, { timeoutMs: PING_MS });
    await herdr.call('agent.get', { target: now.pane_id }, { timeoutMs: PING_MS });
    return `${serverOf(pong, socket).key}/${now.pane_id}`;
  } catch (error) {
    if (error instanceof HerdrFailure) return undefined;
    throw error;
  }
}
