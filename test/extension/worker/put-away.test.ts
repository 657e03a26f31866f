/** Whether the tab of an archived chat may be closed: never over words, and never under a person. */
import { expect, it } from 'vitest';
import { type LeftTab, leftTab } from '../../../extension/machines/actuation/index.ts';
import { verifies } from '../../verifies.ts';

const FREE: LeftTab = {
  atHome: true,
  objection: null,
  touched: false,
  opened: false,
  active: false,
  pinned: false,
  last: false,
};

it.each<[string, Partial<LeftTab>, ReturnType<typeof leftTab>]>([
  ['nobody is at it', {}, 'closed'],
  ['a person was at it once, and has gone to another tab', { touched: true }, 'closed'],
  ['we opened it for this, and nobody touched it', { opened: true, active: true }, 'closed'],
  [
    'we opened it for this, and a person has it in front since',
    { opened: true, active: true, touched: true },
    'kept_in_use',
  ],
  ['a person has it in front', { active: true }, 'kept_in_use'],
  ['words stand there', { objection: 'user_typing' }, 'kept_draft'],
  ['words stand there in a tab of ours', { objection: 'user_typing', opened: true }, 'kept_draft'],
  ['it is pinned', { pinned: true }, 'kept_pinned'],
  ['it is the last of its window', { last: true }, 'kept_last_tab'],
  ['the home is not there yet', { atHome: false }, 'wait'],
  ['a person types while the home is not there', { atHome: false, objection: 'user_typing' }, 'wait'],
  ['it cannot be read', { objection: 'page_unreadable' }, 'wait'],
  ['a message of ours is on its way', { objection: 'wake_in_flight' }, 'wait'],
  ['something asks', { objection: 'card_waiting' }, 'kept_in_use'],
  ['an answer is written', { objection: 'turn_in_progress' }, 'kept_in_use'],
])('%s', (_, given, outcome) => {
  verifies('bridge.archive-tab');
  expect(leftTab({ ...FREE, ...given })).toBe(outcome);
});
