/** Two tabs of one chat: the site tells the older one nothing of what was said in the other, so nothing is sent from there. */
import { describe, expect, it } from 'vitest';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, FRESH, QUIET } from './chat.ts';

const NOW = 1_764_500_000_000;
const HIDDEN = { ...QUIET, visible: false };
const agent = { pane: 'p1', name: 'pi', agent: 'pi', workspace: 'w1', cwd: null, terminal_title: null };
const fresh = { ...FRESH, agents: [{ ...agent, status: 'idle', seq: 2, last_activity_at: NOW }] };

function worker() {
  let state: State = EMPTY;
  let now = NOW;
  const from = (tab: number, document = `d${tab}`) => ({ tab, document, version: '1.0.0', page: chat() });
  const take = (event: Event) => {
    now += 1_000;
    const stepped = step(state, event, { now, language: 'en' });
    state = JSON.parse(JSON.stringify(stepped.state)) as State;
    return stepped.effects;
  };
  take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  // A person looks at the first tab; the second one is behind it.
  take({ type: 'here', from: from(7), state: QUIET });
  take({ type: 'here', from: from(8), state: HIDDEN });
  take({ type: 'bind', tab: 7, page: chat(), workspace: 'w1', continuityId: 'hc:1:abcdefgh' });
  take({ type: 'action', from: from(7), action: { name: 'auto', on: true }, id: 'a', fresh: null });
  const it = {
    take,
    from,
    clock(ms: number) {
      now += ms;
    },
    turn(tab: number) {
      take({ type: 'turn_accepted', from: from(tab), text: `in ${tab}`, id: `u${now}`, submitted: 'person' });
      take({ type: 'page', from: from(tab), state: { ...(tab === 7 ? QUIET : HIDDEN), busy: true } });
      take({ type: 'turn_ended', from: from(tab) });
      take({ type: 'page', from: from(tab), state: tab === 7 ? QUIET : HIDDEN });
    },
    /** In which tab a wake goes out. */
    wakes() {
      const push = (name: string, status: string, seq: number) =>
        take({ type: 'pushed', boot: 'b1', position: seq, name, data: { ...agent, status, seq, at: seq } });
      push('agent_working', 'working', 1);
      const look = push('agent_settled', 'idle', 2).find(({ type }) => type === 'look');
      if (look?.type !== 'look') throw new Error('nobody looks');
      const { binding, revision } = look;
      const told = take({ type: 'looked', binding, revision, fresh, inbox: 'none' });
      return told.flatMap((one) => (one.type === 'deliver' ? [one.tab] : []));
    },
    continues(tab: number) {
      const pressed = { type: 'action' as const, from: from(tab), action: { name: 'continue' as const }, fresh: null };
      take({ ...pressed, action: { name: 'auto', on: false }, id: 'off' });
      return take({ ...pressed, id: 'c' }).flatMap((one) => (one.type === 'deliver' ? [one.tab] : []));
    },
  };
  return it;
}

describe('of two tabs of one chat', () => {
  it('the one that a person looks at is written to, while both show the same', () => {
    verifies('extension.wake');
    expect(worker().wakes()).toEqual([7]);
    const both = worker();
    both.turn(8);
    both.turn(7);
    expect(both.wakes()).toEqual([7]);
  });

  it('the one that has seen the last turn is, whichever a person looks at', () => {
    verifies('extension.wake');
    const it = worker();
    it.turn(8);
    expect(it.wakes()).toEqual([8]);
    const pressed = worker();
    pressed.turn(8);
    expect(pressed.continues(7)).toEqual([8]);
  });

  it('one that was loaded since shows that turn too', () => {
    verifies('extension.wake');
    const it = worker();
    it.turn(8);
    it.take({ type: 'here', from: it.from(7, 'loaded anew'), state: QUIET });
    expect(it.wakes()).toEqual([7]);
  });

  it('a clock that is put back changes nothing of it', () => {
    verifies('extension.wake');
    const it = worker();
    it.turn(8);
    it.clock(-3_600_000);
    it.take({ type: 'tick' });
    it.turn(7);
    expect(it.wakes()).toEqual([7]);
    const other = worker();
    other.turn(7);
    other.clock(-3_600_000);
    other.turn(8);
    expect(other.wakes()).toEqual([8]);
  });

  it('when the newer one is closed, the older one is the chat’s again', () => {
    const it = worker();
    it.turn(8);
    it.take({ type: 'tab_gone', tab: 8 });
    expect(it.wakes()).toEqual([7]);
    expect(CHAT).toContain('/c/');
  });
});
