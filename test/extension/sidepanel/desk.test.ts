/** What a person does to panes: the machine as tables, and in any order that a browser can think of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  ControlAnswer,
  ControlOutcome,
  LookupAnswer,
  PaneRow,
  Picture,
  PushPane,
} from '../../../contract/control/index.ts';
import {
  type Act,
  type Desk,
  type DeskEvent,
  deskStep,
  EMPTY_DESK,
  isOpen,
  pinOf,
  readDesk,
  readPin,
  standingOf,
  wordsBack,
} from '../../../extension/sidepanel/desk/index.ts';
import { verifies } from '../../verifies.ts';

const REVISION = `btr1_${'a'.repeat(32)}`;
const target = { pane_id: 'w1:p1', target_revision: REVISION };
const at = 1_000_000;
const send = (text = 'Go on.', key = 'pa:1', revision = REVISION, when = at): DeskEvent => ({
  type: 'send',
  action: 'agent_prompt',
  target: { ...target, target_revision: revision },
  text,
  key,
  at: when,
});
const answer = (outcome: ControlOutcome, phase: ControlAnswer['delivery_phase']): ControlAnswer => ({
  ok: outcome === 'submitted',
  action: 'agent_prompt',
  outcome,
  delivery_phase: phase,
  target,
});
const settled = (outcome: ControlOutcome, phase: ControlAnswer['delivery_phase']): LookupAnswer => ({
  ok: true,
  state: 'settled',
  answer: answer(outcome, phase),
});

function play(...events: DeskEvent[]) {
  let desk: Desk = EMPTY_DESK;
  const effects = events.flatMap((event) => {
    const step = deskStep(desk, event);
    desk = step.desk;
    return step.effects;
  });
  const act: Act | undefined = desk.acts[target.pane_id];
  return { desk, act, posts: effects.flatMap((one) => (one.type === 'post' ? [one.act.key] : [])), effects };
}
const heard = (given: ControlAnswer | null, key = 'pa:1'): DeskEvent => ({ type: 'answered', key, answer: given });
const looked = (found: LookupAnswer | null, when = at + 100_000, key = 'pa:1'): DeskEvent => ({
  type: 'looked',
  key,
  found,
  at: when,
});
const look: DeskEvent = { type: 'look', pane: 'w1:p1' };

describe('what is sent', () => {
  it('comes back only into a field of its own kind: a prompt that was refused never stands in the shell of its agent', () => {
    const refused = play(send(), heard(answer('rejected', 'not_submitted'))).act;
    expect(wordsBack(refused, 'agent_prompt')).toBe('Go on.');
    expect(wordsBack(refused, 'terminal_input')).toBe('');
    expect(wordsBack(play(send()).act, 'agent_prompt')).toBe('');
    expect(wordsBack(undefined, 'agent_prompt')).toBe('');
  });

  it.each<[ControlOutcome, ControlAnswer['delivery_phase'], string, string]>([
    ['submitted', 'observed', 'done', ''],
    ['queued', 'submitted', 'done', ''],
    ['failed', 'submitted', 'done', ''],
    ['rejected', 'not_submitted', 'done', 'Go on.'],
    ['stale_target', 'not_submitted', 'done', 'Go on.'],
    ['uncertain', 'uncertain', 'uncertain', 'Go on.'],
  ])('and answered %s: what was not typed stands in the field again', (outcome, phase, wanted, text) => {
    verifies('control-center.panel');
    expect(play(send(), heard(answer(outcome, phase))).act).toMatchObject({ phase: wanted, text });
  });

  it('and lost is uncertain; then nothing goes there until it is looked at, and looking sends nothing', () => {
    verifies('control-center.panel');
    const lost = play(send(), heard(null), send('Again.', 'pa:2'), look, send('Again.', 'pa:3'));
    expect(lost.posts).toEqual(['pa:1']);
    expect(lost.act?.phase).toBe('looking');
    expect(lost.effects.at(-1)).toEqual({ type: 'lookup', key: 'pa:1' });
  });

  it.each<[string, LookupAnswer | null, Partial<Act>]>([
    ['it was typed', settled('submitted', 'observed'), { phase: 'done', text: '' }],
    ['it was refused', settled('rejected', 'not_submitted'), { phase: 'done', text: 'Go on.' }],
    ['even the runtime cannot say', settled('uncertain', 'uncertain'), { phase: 'uncertain' }],
    ['it runs', { ok: true, state: 'running' }, { phase: 'uncertain', running: true }],
    ['nobody answers', null, { phase: 'uncertain', running: false }],
    ['it never came', { ok: true, state: 'unknown' }, { phase: 'absent', text: 'Go on.' }],
  ])('looked up: %s', (_, found, wanted) => {
    expect(play(send(), heard(null), look, looked(found)).act).toMatchObject(wanted);
  });

  it('what never came goes out under its own key; other words or another target get another', () => {
    verifies('control-center.panel');
    const absent = [send(), heard(null), look, looked({ ok: true, state: 'unknown' })];
    expect(play(...absent, send('Go on.', 'pa:2')).posts).toEqual(['pa:1', 'pa:1']);
    expect(play(...absent, send('Else.', 'pa:2')).posts).toEqual(['pa:1', 'pa:2']);
    expect(play(...absent, send('Go on.', 'pa:2', `btr1_${'b'.repeat(32)}`)).posts).toEqual(['pa:1', 'pa:2']);
  });

  it('by a panel that was closed is looked up, and is not taken for lost while it may be on its way', () => {
    const early = play(send(), { type: 'reopened' }, looked({ ok: true, state: 'unknown' }, at + 1_000));
    expect(early.effects.at(-1)).toEqual({ type: 'lookup', key: 'pa:1' });
    expect(early.act?.phase).toBe('sending');
    expect(play(send(), { type: 'reopened' }, looked({ ok: true, state: 'unknown' })).act?.phase).toBe('absent');
    expect(play(send(), { type: 'reopened' }, looked(settled('submitted', 'observed'), at + 1)).act?.phase).toBe(
      'done',
    );
  });

  it('is put away by the person once it is known, or looked at; not while it is under way', () => {
    const dismiss: DeskEvent = { type: 'dismiss', pane: 'w1:p1' };
    expect(play(send(), dismiss).act?.phase).toBe('sending');
    expect(play(send(), heard(answer('submitted', 'observed')), dismiss, heard(null)).act).toBeUndefined();
  });

  it('that a person has looked at is asked for once more: it holds while the runtime runs it, and is put away when nobody knows more', () => {
    verifies('control-center.panel');
    const dismiss: DeskEvent = { type: 'dismiss', pane: 'w1:p1' };
    const asked = play(send(), heard(null), dismiss);
    expect(asked.act?.phase).toBe('looking');
    expect(asked.effects.at(-1)).toEqual({ type: 'lookup', key: asked.act?.key });
    const after = (found: Parameters<typeof looked>[0]) => play(send(), heard(null), dismiss, looked(found));
    const running = after({ ok: true, state: 'running' });
    expect(running.act).toMatchObject({ phase: 'uncertain', running: true });
    expect(
      play(send(), heard(null), dismiss, looked({ ok: true, state: 'running' }), send('other', 'pa:2')).posts,
    ).toEqual(['pa:1']);
    expect(after(null).act).toBeUndefined();
    expect(after({ ok: true, state: 'settled', answer: answer('uncertain', 'uncertain') }).act).toBeUndefined();
    expect(after({ ok: true, state: 'settled', answer: answer('submitted', 'observed') }).act?.phase).toBe('done');
    expect(after({ ok: true, state: 'unknown' }).act?.phase).toBe('absent');
  });

  it('late answers change nothing that is known', () => {
    const known = play(
      send(),
      heard(answer('submitted', 'observed')),
      heard(null),
      looked({ ok: true, state: 'unknown' }),
    );
    expect(known.act?.phase).toBe('done');
  });
});

it('in any order: what may have arrived is never sent again under another key while it is not known', () => {
  verifies('control-center.panel');
  const events = fc.array(
    fc.oneof(
      fc.constantFrom<DeskEvent>(
        heard(null),
        look,
        looked(null),
        looked({ ok: true, state: 'running' }),
        looked(settled('uncertain', 'uncertain')),
        heard(answer('uncertain', 'uncertain')),
        { type: 'reopened' },
      ),
      fc.integer({ min: 2, max: 9 }).map((n) => send(`text ${n}`, `pa:${n}`)),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(events, (given) => {
      expect(play(send(), ...given).posts).toEqual(['pa:1']);
    }),
  );
});

it('the desk is read from storage as far as it is one, and forgets only what is known', () => {
  expect(readDesk(undefined)).toEqual(EMPTY_DESK);
  expect(readDesk({ acts: { a: { key: 7 }, b: null } })).toEqual(EMPTY_DESK);
  let desk = EMPTY_DESK;
  for (let i = 0; i < 40; i += 1) {
    const pane = { pane_id: `w1:p${i}`, target_revision: REVISION };
    desk = deskStep(desk, {
      type: 'send',
      action: 'agent_prompt',
      target: pane,
      text: 'x',
      key: `pa:${i}`,
      at: at + i,
    }).desk;
    if (i % 2 === 0) desk = deskStep(desk, heard(answer('submitted', 'observed'), `pa:${i}`)).desk;
  }
  const kept = Object.values(readDesk(JSON.parse(JSON.stringify(desk))).acts);
  expect(kept.filter(isOpen)).toHaveLength(20);
  expect(kept.filter((act) => !isOpen(act)).length).toBeLessThanOrEqual(20);
});

describe('the pin', () => {
  const row = { id: 'w1:p1', workspace: 'w1', agent: 'pi', revision: REVISION } as PaneRow;
  const pin = pinOf(row, 5);
  const picture = (revision: string | null, state: 'live' | 'stale' = 'live'): Pick<Picture, 'herdr' | 'panes'> => ({
    herdr: { state, problem: null, server: 'embedded' },
    panes: new Map(revision === null ? [] : [['w1:p1', { target_revision: revision } as PushPane]]),
  });

  it.each([
    ['good', picture(REVISION)],
    ['target_revision_changed', picture('btr1_other')],
    ['pane_removed', picture(null)],
    ['unknown', picture(REVISION, 'stale')],
    ['unknown', null],
  ])('is %s', (wanted, now) => {
    verifies('control-center.panel');
    expect(standingOf(pin, now)).toBe(wanted);
  });

  it('comes back from storage whole or not at all', () => {
    expect(readPin(JSON.parse(JSON.stringify(pin)))).toEqual(pin);
    expect(readPin({ pane_id: 'p' })).toBeNull();
    expect(readPin(undefined)).toBeNull();
  });
});
