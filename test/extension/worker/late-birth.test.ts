/** The first message of a new chat, submitted and not seen: the chat may show itself later, in the tab in which it was to begin. */
import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';
import { chat, project, QUIET } from './chat.ts';

const ID = `ba_${'1'.repeat(16)}`;
const NEW = 'https://chatgpt.com/c/99999999-new';
const NOW = 1_764_500_000_000;
const TEXT = 'Please review the parser.';
const LAUNCHER: PageIdentity = {
  ...chat(),
  ...{ place: 'root', conversation: null, url: 'https://chatgpt.com/', title: null },
};
const at = (page: PageIdentity, tab = 7, document = 'd7') => ({ tab, document, version: '1.0.0', page });

/** A dispatch whose page has pressed Send and seen no new chat; the runtime was told of the doubt. */
function doubted() {
  let state: State = { ...EMPTY, link: 'connected' };
  let now = NOW;
  const take = (event: Event) => {
    now += 1_000;
    const stepped = step(state, event, { now, language: 'en' });
    state = JSON.parse(JSON.stringify(stepped.state)) as State;
    return stepped.effects;
  };
  const act = (event: Extract<Event, { type: 'actuation' }>['event'], more: object = {}) =>
    take({ type: 'actuation', id: ID, event, ...more });
  const command: ActuationCommand = {
    protocol: 'herdr-browser-actuation/v1',
    ...{ actuation_id: ID, dispatch_id: `bd_${'2'.repeat(64)}`, operation: 'session.create', provider: 'chatgpt' },
    ...{ expected_generation: 3, account_ref: `br_${'c'.repeat(64)}`, session: null, space: null, source_url: null },
    message: TEXT,
  };
  take({ type: 'actuations', waiting: [ID], claimant: 'life' });
  act({ type: 'claimed', command });
  act({ type: 'opened', tab: 7 });
  take({ type: 'here', from: at(LAUNCHER), state: QUIET });
  act({ type: 'checked', answer: 'confirmed', account: { salt: 's', digest: 'd' } });
  const [delivery] = Object.values(state.deliveries);
  const { id = '', attempt = 0 } = delivery ?? {};
  take({ type: 'claim', from: at(LAUNCHER), id, attempt, baseline: { userIds: [], userTurns: 0 } });
  const outcome = { state: 'uncertain' as const, reason: 'no_new_turn' as const };
  take({ type: 'done', from: at(LAUNCHER), id, attempt, outcome });
  act({ type: 'reported', answer: 'told' }, { applied: false });
  return {
    take,
    state: () => state,
    shows(page: PageIdentity, text = TEXT, tab = 7) {
      take({ type: 'here', from: at(page, tab, 'loaded anew'), state: QUIET });
      return take({
        ...{ type: 'turn_accepted', from: at(page, tab, 'loaded anew'), text, id: 'm1', submitted: 'person' },
      }).filter(({ type }) => type === 'actuate');
    },
  };
}

describe('a new chat that shows itself late', () => {
  it('is proved by our message in the tab in which it was to begin', () => {
    verifies('bridge.local-agents');
    const it = doubted();
    expect(it.state().actuations[ID]?.phase).toBe('doubting');
    expect(it.shows(chat(NEW))).toEqual([
      { type: 'actuate', wants: expect.objectContaining({ type: 'name', tab: 7, conversation: NEW }) },
    ]);
    expect(it.state().actuations[ID]?.evidence).toMatchObject({ accepted_message_ref: 'm1', canonical_url: NEW });
  });

  it.each<[string, PageIdentity, string, number]>([
    ['other words', chat(NEW), 'Something else.', 7],
    ['another tab', chat(NEW), TEXT, 8],
    ['a Project that it was not to be in', chat(NEW, project()), TEXT, 7],
  ])('%s prove nothing', (_name, page, text, tab) => {
    verifies('bridge.local-agents');
    expect(doubted().shows(page, text, tab)).toEqual([]);
  });
});
