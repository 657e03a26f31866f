import { describe, expect, it } from 'vitest';
import { workState } from '../../../runtime-a-b/memory/index.ts';
import { verifies } from '../../verifies.ts';

const turn = (text: string, messageId = 'm1', role = 'assistant') => ({ messageId, role, text });
const nothing = { checkpoint: null, turns: [], workspaces: [], place: null };
const missing = { source: 'missing' };

describe('what a chain says about its work', () => {
  it('names everything as missing when nothing was recorded', () => {
    const state = workState({ ...nothing, turns: [turn('We should continue soon.')] });
    expect(state).toEqual({
      current: false,
      note: expect.stringContaining('not the present'),
      goal: missing,
      finished: missing,
      decisions: missing,
      open: missing,
      identifiers: { workspace: missing, path: missing, branch: missing, commit: missing, task: missing },
      constraints: missing,
      next_step: missing,
    });
  });

  it('takes each fact from the checkpoint first, and says from which', () => {
    verifies('memory.resume');
    const content = {
      goal: 'a parser',
      finished: ['lexer', 'grammar'],
      decisions: [{ what: 'LL(1)', why: 'small' }],
      todo: ['tests'],
      identifiers: { workspace: 'w1', path: '/src', branch: 'main', commit: 'abc', task: 'task:1' },
      safety: 'do not push',
      next: 'write tests',
    };
    const state = workState({ ...nothing, checkpoint: { revision: 3, content }, turns: [turn('Goal: another one')] });
    const from = (...values: string[]) => ({ source: 'checkpoint', checkpoint_revision: 3, values });
    expect(state).toMatchObject({
      goal: from('a parser'),
      finished: from('lexer', 'grammar'),
      decisions: from('{"what":"LL(1)","why":"small"}'),
      open: from('tests'),
      identifiers: {
        workspace: from('w1'),
        path: from('/src'),
        branch: from('main'),
        commit: from('abc'),
        task: from('task:1'),
      },
      constraints: from('do not push'),
      next_step: from('write tests'),
    });
  });

  it('takes what the checkpoint lacks from lines of the newest turn that names it', () => {
    const state = workState({
      ...nothing,
      checkpoint: { revision: 1, content: { goal: 'a parser', open: [], decisions: '  ' } },
      turns: [
        turn('Next step: old one\nBranch: feature/x', 'm1', 'user'),
        turn(
          'Summary\n\n## Decisions\n- LL(1)\n- no regex\n\n**Next step:** write tests\n未完了の作業：\n・文書\n・検証\n\nこの次は未定です',
          'm2',
        ),
      ],
    });
    const tail = (message_id: string, role: string, ...values: string[]) => ({
      source: 'tail',
      message_id,
      role,
      values,
    });
    expect(state.goal).toMatchObject({ source: 'checkpoint' });
    expect(state.decisions).toEqual(tail('m2', 'assistant', 'LL(1)', 'no regex'));
    expect(state.next_step).toEqual(tail('m2', 'assistant', 'write tests'));
    expect(state.open).toEqual(tail('m2', 'assistant', '文書', '検証'));
    expect(state.identifiers.branch).toEqual(tail('m1', 'user', 'feature/x'));
    expect(state.finished).toEqual(missing);
  });

  it('takes workspaces from bindings and places from evidence', () => {
    const state = workState({
      ...nothing,
      workspaces: ['embedded/w1'],
      place: { evidenceId: 'ev_1', commit: 'c0ffee', path: 'a.ts' },
    });
    expect(state.identifiers).toMatchObject({
      workspace: { source: 'binding', values: ['embedded/w1'] },
      commit: { source: 'evidence', evidence_id: 'ev_1', values: ['c0ffee'] },
      path: { source: 'evidence', values: ['a.ts'] },
      branch: missing,
    });
  });

  it.each([
    'the goal: of this sentence is not named at its beginning… wait, it is a sentence: goal',
    'open the file: a.ts',
    'next to it: b.ts',
    'done',
    '- done',
    'https://example.com/next: x',
  ])('does not take "%s" for a name', (text) => {
    const { note: _, current: __, identifiers, ...facts } = workState({ ...nothing, turns: [turn(text)] });
    for (const fact of [...Object.values(facts), ...Object.values(identifiers)]) expect(fact).toEqual(missing);
  });

  it('stays bounded', () => {
    const content = { open: Array.from({ length: 100 }, (_, i) => `${i} ${'あ'.repeat(1000)}`), goal: '__proto__' };
    const state = workState({ ...nothing, checkpoint: { revision: 1, content } });
    expect(state.open).toMatchObject({ left_out: 88 });
    expect(JSON.stringify(state).length).toBeLessThan(10_000);
    expect(
      workState({
        ...nothing,
        turns: [turn(`${'*'.repeat(100_000)}\n${':'.repeat(100_000)}\n${'- '.repeat(100_000)}`)],
      }).goal,
    ).toEqual(missing);
  });
});
