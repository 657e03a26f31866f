/** A conversation whose page lost something. */
import type { PageEvidence, ServerEvidence } from '../../extension/health.ts';
import {
  type Context,
  NO_RECOVERY,
  type Recovery,
  type RecoveryEvent,
  recoverChat,
} from '../../extension/machines/recovery/index.ts';
import { AT, CHAT, context as contextOf, FINE, PAGES, page, SERVERS } from '../../test/extension/recovery/looks.ts';
import { type Edge, explore } from './explore.ts';
import type { Picture } from './page.ts';

interface Happening {
  event(recovery: Recovery): RecoveryEvent;
  context?: Partial<Context>;
  laterMs?: number;
}

const ERROR = PAGES['an error with Retry'] ?? FINE;
const STILL = page({ pending: true, streaming: true, confirmed: false });
const AHEAD = SERVERS['ahead'] ?? null;
const NOT_ACCEPTED = SERVERS['not accepted'] ?? null;

const seen = (evidence: PageEvidence, document = 'd', laterMs = 0): Happening => ({
  event: () => ({ type: 'evidence', tab: 1, document, evidence }),
  laterMs,
});
const told = (evidence: PageEvidence, server: ServerEvidence | null, context: Partial<Context> = {}): Happening => ({
  event: () => ({ type: 'examined', tab: 1, document: 'd', evidence, server }),
  context,
  laterMs: 100_000,
});
const answer = (given: 'done' | 'user_typing'): Happening => ({
  event: ({ chats }) => ({ type: 'answered', id: chats[CHAT]?.order?.id ?? '', answer: given }),
});

const DECLINED = 'it could not after all';

const HAPPENINGS: readonly { on: string; event: Happening }[] = [
  { on: 'something is wrong', event: seen(STILL) },
  { on: 'the server cannot be asked', event: told(STILL, null) },
  { on: 'the evidence decides', event: told(STILL, AHEAD) },
  { on: 'the evidence decides', event: told(ERROR, NOT_ACCEPTED) },
  { on: 'a draft, a tool or a card', event: told({ ...ERROR, draft: true }, AHEAD) },
  { on: 'Auto is off', event: told(ERROR, AHEAD, { auto: false }) },
  { on: 'a person presses', event: { event: () => ({ type: 'pressed', tab: 1, document: 'd' }) } },
  { on: 'the page refuses', event: answer('user_typing') },
  {
    on: DECLINED,
    event: {
      event: ({ chats }) => ({ type: 'declined', id: chats[CHAT]?.order?.id ?? '', reason: 'user_typing' }),
    },
  },
  { on: 'the page has done it', event: answer('done') },
  { on: 'another document', event: seen({ ...STILL, loadedMs: 0 }, 'e') },
  { on: 'nobody says what became of it', event: seen(STILL, 'd', 100_000) },
  { on: 'the Retry brought nothing', event: seen(ERROR, 'd', 45_000) },
  { on: 'all is well', event: seen(FINE) },
  { on: 'all is well', event: seen(FINE, 'e') },
  { on: 'a new turn', event: { event: () => ({ type: 'turn', id: null, hash: 'h' }) } },
];

/** The same event means another thing where something was done already, or where its budget is spent. */
function named({ from, to, on }: Edge): Edge {
  if (on === DECLINED) return { from, to, on };
  if (to === 'exhausted') return { from, to, on: 'its budget is spent' };
  if (from === 'ordered' && to === 'suspect') return { from, to, on: 'a minute without a word' };
  if (from === 'well' && to === 'suspect') return { from, to, on: 'something is wrong' };
  return from === 'acted' && to !== 'well' ? { from, to, on: 'it is still wrong' } : { from, to, on };
}

export const recovery: Picture = {
  name: 'recovery',
  starts: ['well'],
  edges: () =>
    explore<Recovery, Happening>({
      starts: [NO_RECOVERY],
      events: () => HAPPENINGS,
      step: (state, { event, context, laterMs = 0 }) => {
        const around = contextOf({ ...context, now: AT + laterMs });
        return recoverChat(state, CHAT, event(state), around).recovery;
      },
      phase: ({ chats }) => chats[CHAT]?.phase ?? 'well',
    }).map(named),
};
