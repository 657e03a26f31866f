/** Words of a local agent that stand in the composer: they go out only while they still may. */
import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import type { Confirmed } from '../../../extension/background/dispatches.ts';
import { createLeave } from '../../../extension/background/leave.ts';
import { answerPage, type PageParts } from '../../../extension/background/pages.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import type { FromPage } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

const ID = `ba_${'1'.repeat(16)}`;
const ACCOUNT = `br_${'c'.repeat(64)}`;
const NOW = 1_764_500_000_000;
const from = { tab: 7, document: 'd7', version: '1.0.0', page: chat() };

/** A dispatch that was confirmed, and whose words a page has put into its composer. */
function typed(account: string | null = ACCOUNT) {
  let state: State = { ...EMPTY, link: 'connected' };
  const take = (event: Event) => {
    const stepped = step(state, event, { now: NOW, language: 'en' });
    state = stepped.state;
    return stepped;
  };
  const command: ActuationCommand = {
    protocol: 'herdr-browser-actuation/v1',
    actuation_id: ID,
    dispatch_id: `bd_${'2'.repeat(64)}`,
    operation: 'composer.submit',
    provider: 'chatgpt',
    expected_generation: 3,
    account_ref: account,
    session: { session_ref: `br_${'a'.repeat(64)}`, canonical_url: CHAT },
    space: null,
    source_url: null,
    message: 'Go on.',
  };
  take({ type: 'here', from, state: QUIET });
  take({ type: 'actuations', waiting: [ID], claimant: 'life' });
  take({ type: 'actuation', id: ID, event: { type: 'claimed', command } });
  const mark = account === null ? null : { salt: 's', digest: 'd' };
  take({ type: 'actuation', id: ID, event: { type: 'checked', answer: 'confirmed', account: mark } });
  const [delivery] = Object.values(state.deliveries);
  const asked: unknown[] = [];
  /** What the page is told when it wants to press Send. */
  async function presses(answer: Confirmed | null, id = delivery?.id ?? '') {
    const leave = createLeave({
      state: async () => state,
      dispatches: {
        confirm: async (...given) => {
          asked.push(given);
          return answer;
        },
      },
    });
    const parts = { version: '1.0.0', leave, state: async () => state, take: async (one: Event) => take(one).reply };
    const baseline = { userIds: [], userTurns: 0 };
    const body = { id, attempt: delivery?.attempt ?? 0, baseline };
    const message: FromPage = {
      ...{ herdr: 1, to: 'worker', version: '1.0.0', document: 'd7', page: chat() },
      ...{ kind: 'delivery.claim', body },
    };
    return answerPage(parts as unknown as PageParts, message, { tab: 7, url: CHAT, shown: CHAT });
  }
  return { presses, asked, delivery: () => state.deliveries[delivery?.id ?? ''], take };
}

describe('words of a local agent that stand in the composer', () => {
  it('go out when the runtime still says so, and it is asked with the account that is meant', async () => {
    verifies('bridge.accounts', 'bridge.local-agents');
    const it = typed();
    expect(it.delivery()?.state).toBe('handed');
    expect(await it.presses('confirmed')).toMatchObject({ ok: true });
    expect(it.asked).toEqual([[ID, `life:${ID}`, ACCOUNT]]);
    expect(it.delivery()?.state).toBe('submitting');
    const nobodys = typed(null);
    await nobodys.presses('confirmed');
    expect(nobodys.asked).toEqual([[ID, `life:${ID}`, 'account_unknown']]);
  });

  it.each<[Confirmed | null, string]>([
    [{ objection: 'consent_withdrawn' }, 'consent_withdrawn'],
    [{ objection: 'consent_changed' }, 'consent_changed'],
    [{ objection: 'grant_withdrawn' }, 'grant_withdrawn'],
    [{ objection: 'capability_changed' }, 'capability_changed'],
    [{ objection: 'account_changed' }, 'account_changed'],
    [{ objection: 'of_a_later_runtime' }, 'unknown_message'],
    ['over', 'wake_in_flight'],
    ['later', 'wake_in_flight'],
    [null, 'runtime_unavailable'],
  ])('stay unsent when it says %j, and the runtime is told why', async (answer, reason) => {
    verifies('bridge.accounts', 'bridge.local-agents');
    const it = typed();
    expect(await it.presses(answer)).toEqual({ ok: false, reason });
    const { id = '', attempt = 0 } = it.delivery() ?? {};
    expect(it.delivery()?.state).toBe('handed');
    const outcome = { state: 'blocked' as const, reason: reason as 'consent_withdrawn' };
    const { effects } = it.take({ type: 'done', from, id, attempt, outcome });
    expect(effects).toContainEqual({
      type: 'actuate',
      wants: expect.objectContaining({
        type: 'report',
        evidence: { observed_generation: 3, command_accepted: false, refused: reason },
      }),
    });
  });

  it('of nobody who could tell what became of them do not go out; any other message is not asked about', async () => {
    const it = typed();
    expect(await it.presses('confirmed', `act:ba_${'9'.repeat(16)}`)).toEqual({ ok: false, reason: 'wake_in_flight' });
    await it.presses(null, 'settled:1');
    expect(it.asked).toEqual([]);
  });
});
