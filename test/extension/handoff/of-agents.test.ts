/** A handoff that a local agent or a planner asks for: it moves the line of work that it names, or none. */
import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from '../worker/chat.ts';
import { BD, HANDOFF, messageOf, NOW } from './fixtures.ts';

const ID = `ba_${'1'.repeat(16)}`;
const from = { tab: 7, document: 'd7', version: '1.0.0', page: chat() };

/** The chat is bound as `chain`; an agent asks for a new chat that begins with a message of `named`. */
function asks(chain: string | null, named: string) {
  let state: State = EMPTY;
  const take = (event: Event) => {
    const stepped = step(state, event, { now: NOW, language: 'en' });
    state = JSON.parse(JSON.stringify(stepped.state)) as State;
    return stepped.effects;
  };
  const workspaces = [{ id: 'w1', label: 'site' }];
  const fresh = { boot: 'b1', server: 'embedded', herdr: 'live', workspaces, agents: [] };
  take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  take({ type: 'here', from, state: QUIET });
  if (chain !== null) take({ type: 'bind', tab: 7, page: chat(), workspace: 'w1', continuityId: chain });
  const command: ActuationCommand = {
    protocol: 'herdr-browser-actuation/v1',
    ...{ actuation_id: ID, dispatch_id: BD, operation: 'session.create', provider: 'chatgpt', expected_generation: 1 },
    ...{ account_ref: `br_${'c'.repeat(64)}`, session: null, space: null, source_url: CHAT },
    message: messageOf(HANDOFF, named),
  };
  take({ type: 'actuations', waiting: [ID], claimant: 'life' });
  const effects = take({ type: 'actuation', id: ID, event: { type: 'claimed', command } });
  return { state, effects };
}

describe('a handoff of an agent', () => {
  it('of the line of work that the chat is bound to, or of a chat that is bound to none, goes on as a person’s would', () => {
    verifies('extension.handoff');
    for (const chain of ['hc:1:abcdefgh', null]) {
      const { state, effects } = asks(chain, 'hc:1:abcdefgh');
      expect(Object.values(state.transfers)).toMatchObject([{ trigger: 'local_agent', continuityId: 'hc:1:abcdefgh' }]);
      expect(effects).toContainEqual({ type: 'actuate', wants: expect.objectContaining({ type: 'open' }) });
    }
  });

  it('of another line of work opens nothing, moves nothing, and is refused with the reason', () => {
    verifies('extension.handoff', 'bridge.local-agents');
    const { state, effects } = asks('hc:1:abcdefgh', 'hc:9:another');
    expect(state.transfers).toEqual({});
    expect(effects).toEqual([
      {
        type: 'actuate',
        wants: expect.objectContaining({
          type: 'report',
          evidence: { observed_generation: 1, command_accepted: false, refused: 'binding_continuity_conflict' },
        }),
      },
    ]);
  });
});
