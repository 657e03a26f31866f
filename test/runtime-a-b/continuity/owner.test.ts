import { describe, expect, it } from 'vitest';
import { chooseOwner, type OwnerAnswer, type OwnerQuestion } from '../../../runtime-a-b/continuity/index.ts';
import { verifies } from '../../verifies.ts';

const claim = (chainNo: number, active = true) => ({ chainNo, continuityId: `hc:${chainNo}`, active });
const bound = (chainNo: number, workspaceIds: string[] = [''], active = true) => ({
  ...claim(chainNo, active),
  workspaceIds,
});
const given = (chainNo: number, active = true) => ({ continuityId: `hc:${chainNo}`, claim: claim(chainNo, active) });
const fresh = { continuityId: 'hc:new', claim: null };
const question: OwnerQuestion = { bound: [], given: null, workspaceId: '', ofProject: [], role: 'user' };
const join = (chainNo: number, by: 'binding' | 'continuity_id' | 'project', retire = false): OwnerAnswer => ({
  kind: 'join',
  chainNo,
  by,
  retire,
});

describe('to which chain a turn belongs', () => {
  it.each<[string, Partial<OwnerQuestion>, OwnerAnswer]>([
    ['one binding', { bound: [bound(1)] }, join(1, 'binding')],
    ['one binding beats another id that came along', { bound: [bound(1)], given: given(2) }, join(1, 'binding')],
    ['one binding beats the project', { bound: [bound(1)], ofProject: [claim(2), claim(3)] }, join(1, 'binding')],
    ['an open binding beats a closed one', { bound: [bound(1, [''], false), bound(2)] }, join(2, 'binding')],
    [
      'a closed binding takes nothing',
      { bound: [bound(1, [''], false)], given: given(2) },
      { kind: 'closed', continuityId: 'hc:1' },
    ],
    [
      'two bindings are ambiguous',
      { bound: [bound(1), bound(2)] },
      { kind: 'ambiguous', among: 'bindings', chainNos: [1, 2] },
    ],
    [
      'two bindings stay ambiguous with an id alone',
      { bound: [bound(1), bound(2)], given: given(2) },
      { kind: 'ambiguous', among: 'bindings', chainNos: [1, 2] },
    ],
    [
      'id and workspace name one of two',
      { bound: [bound(1, ['e/w1']), bound(2, ['e/w2'])], given: given(2), workspaceId: 'e/w2' },
      join(2, 'binding', true),
    ],
    [
      'a workspace that both have names none',
      { bound: [bound(1, ['e/w2']), bound(2, ['e/w2'])], given: given(2), workspaceId: 'e/w2' },
      { kind: 'ambiguous', among: 'bindings', chainNos: [1, 2] },
    ],
    [
      'a workspace of the other one names none',
      { bound: [bound(1, ['e/w1']), bound(2, ['e/w2'])], given: given(1), workspaceId: 'e/w2' },
      { kind: 'ambiguous', among: 'bindings', chainNos: [1, 2] },
    ],
    ['an unbound conversation goes where its id says', { given: given(3) }, join(3, 'continuity_id')],
    ['an answer too', { given: given(3), role: 'assistant' }, join(3, 'continuity_id')],
    ['the id beats the project', { given: given(3), ofProject: [claim(4)] }, join(3, 'continuity_id')],
    ['not into a closed chain', { given: given(3, false) }, { kind: 'closed', continuityId: 'hc:3' }],
    ['a new id begins a chain', { given: fresh }, { kind: 'create', continuityId: 'hc:new' }],
    ['a new chat of a bound project joins its one chain', { ofProject: [claim(4)] }, join(4, 'project')],
    ['but not by an answer', { ofProject: [claim(4)], role: 'assistant' }, { kind: 'none', why: 'needs_user_turn' }],
    [
      'two chains of the project are ambiguous',
      { ofProject: [claim(4), claim(5)] },
      { kind: 'ambiguous', among: 'project', chainNos: [4, 5] },
    ],
    ['nothing leads nowhere', {}, { kind: 'none', why: 'nothing_known' }],
  ])('%s', (_, over, answer) => {
    verifies('continuity.resolve');
    expect(chooseOwner({ ...question, ...over })).toEqual(answer);
  });
});
