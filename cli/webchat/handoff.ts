/**
 * `herdr-mcp webchat handoff`: one prepared message moves a chain of work into a new chat. What was prepared is sent as it
 * is; it is shown to be pasted by hand only while nothing can have been delivered.
 */
import { PROVED_UNDELIVERED } from '../../contract/browser/dispatch.ts';
import { LocalError } from '../../local/error/index.ts';
import { action } from '../command.ts';
import { given, json } from '../continuity/index.ts';
import { EXIT } from '../exit.ts';
import { type Answer, askOverSocket } from '../runtime/index.ts';
import { note, say, sayJson, sayText } from '../terminal/index.ts';
import { isDispatch, look, text } from './ask.ts';

interface Prepared {
  handoff: { handoff_id: string; message: string };
  automatic_delivery: { method: string; params: Answer; idempotency_key: string };
  manual_delivery: { copy_prompt: string };
}

/** What came of the automatic delivery. Only what is proved undelivered may be given to a person to paste. */
interface Delivered {
  attempted: boolean;
  completed: boolean;
  delivery_state: string | null;
  reason: string | null;
  replayed: boolean | null;
  session_ref: string | null;
  dispatch_id: string | null;
  result: Answer | null;
}

export const handoff = action(
  'handoff',
  'Move a chain of work into a new chat of the same account and Project',
  {
    chain: { type: 'positional', required: true, description: 'The chain’s id (hc:…)' },
    'source-url': { type: 'string', required: true, description: 'Address of the chat that hands over' },
    objective: { type: 'string', description: 'What the new chat is to go on with, one line' },
    'work-chain': { type: 'string', description: 'Line of work; only the one that the chain has' },
    'handoff-id': { type: 'string', description: 'Your own id for this handoff' },
    key: { type: 'string', description: 'Idempotency key. Default: the handoff’s id' },
    'prepare-only': { type: 'boolean', description: 'Only make the message; nothing is sent' },
    json,
  },
  async (args) => {
    const prepared = (await look(
      'herdr_mcp.browser_handoff.prepare',
      given({
        continuity_id: args.chain,
        source_url: args['source-url'],
        objective: args.objective,
        work_chain_id: args['work-chain'],
        handoff_id: args['handoff-id'],
      }),
    )) as unknown as Prepared & Answer;
    const key = args.key ?? prepared.automatic_delivery.idempotency_key;
    const delivered = args['prepare-only'] ? NOT_ATTEMPTED : await deliver(prepared.automatic_delivery, key);
    const mayPaste = isUndelivered(delivered);
    if (!delivered.completed && delivered.attempted) process.exitCode = EXIT.failed;
    if (args.json) {
      const { manual_delivery, ...rest } = prepared;
      const automatic = { ...prepared.automatic_delivery, idempotency_key: key, ...delivered };
      // The message is also what would be pasted; while that could make a second chat it is not offered.
      return sayJson({ ...rest, automatic_delivery: automatic, ...(mayPaste ? { manual_delivery } : {}) });
    }
    show(prepared, delivered, key, mayPaste);
  },
);

const NOT_ATTEMPTED: Delivered = {
  attempted: false,
  completed: false,
  delivery_state: null,
  reason: null,
  replayed: null,
  session_ref: null,
  dispatch_id: null,
  result: null,
};

async function deliver({ method, params }: Prepared['automatic_delivery'], key: string): Promise<Delivered> {
  let answer: Answer;
  try {
    answer = await askOverSocket(method, { ...params, idempotency_key: key });
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    // Asked, and nobody said what became of it: that may have been sent.
    if (error.code !== 'runtime_absent')
      return { ...NOT_ATTEMPTED, attempted: true, delivery_state: 'uncertain', reason: error.code };
    return { ...NOT_ATTEMPTED, attempted: true, reason: error.code };
  }
  if (!isDispatch(answer)) return { ...NOT_ATTEMPTED, attempted: true, ...unsent(answer) };
  return {
    attempted: true,
    completed: answer.delivery_state === 'applied',
    delivery_state: text(answer.delivery_state),
    reason: text(answer.reason) || null,
    replayed: answer.replayed === true,
    session_ref: text(answer.session_ref) || null,
    dispatch_id: text(answer.dispatch_id),
    result: (answer.result ?? null) as Answer | null,
  };
}

/** A refusal with no dispatch behind it says itself whether anything can have been sent. */
function unsent(answer: Answer): Pick<Delivered, 'delivery_state' | 'reason'> {
  return { delivery_state: answer.delivery === 'unknown' ? 'uncertain' : null, reason: text(answer.code) || 'refused' };
}

/** Nothing was asked, nothing was written down, or it is proved that nothing arrived. */
function isUndelivered({ completed, delivery_state: state }: Delivered): boolean {
  return !completed && (state === null || [...PROVED_UNDELIVERED].some((known) => known === state));
}

function show(
  { handoff, manual_delivery: { copy_prompt } }: Prepared,
  delivered: Delivered,
  key: string,
  mayPaste: boolean,
): void {
  const { dispatch_id: dispatch, delivery_state: state, reason } = delivered;
  if (delivered.completed) {
    say(String(delivered.session_ref));
    note(`Handed over (${handoff.handoff_id}, ${String(dispatch)}); the new chat was sent its first message.`);
  } else if (mayPaste) {
    sayText(copy_prompt);
    note(
      delivered.attempted
        ? `Nothing was sent (${reason ?? state ?? 'refused'}). Paste the message above into a new chat, or run this again with --key ${key}.`
        : 'Nothing was sent. The message above is what would be.',
    );
  } else {
    note(`It may have been sent (${reason ?? String(state)}); nothing proves it yet. Do not paste or send it again.`);
    note(
      dispatch === null
        ? `Run the same command again with --key ${key}: what happened is looked up.`
        : `Look it up: herdr-mcp webchat dispatch-status ${dispatch}`,
    );
  }
}
