/** Whether the tab of an archived chat may be closed: never over words, and never under a person. */
import { expect, it } from 'vitest';
import { besideTab, type LeftTab, leftTab } from '../../../extension/machines/actuation/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project } from './chat.ts';

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

it('a tab opens beside the chat that it comes from, else beside one of its site and Project, else anywhere', () => {
  const plans = project();
  const [plain, inside, other] = [
    chat(),
    chat('https://chatgpt.com/c/2', plans),
    chat('https://chatgpt.com/c/3', project('g-p-2')),
  ];
  const tabs = { 1: { page: other }, 2: { page: inside }, 3: { page: plain } };
  const space = { space_ref: 'br', canonical_url: plans.key };
  const where = { provider: 'chatgpt', source_url: null, space: null };
  expect(besideTab(tabs, { ...where, source_url: CHAT, space })).toBe(3);
  expect(besideTab(tabs, { ...where, source_url: 'https://chatgpt.com/c/gone', space })).toBe(2);
  expect(besideTab(tabs, where)).toBe(3);
  expect(besideTab({ 1: { page: other } }, { ...where, space })).toBeNull();
  expect(besideTab(tabs, { ...where, provider: 'claude' })).toBeNull();
});
