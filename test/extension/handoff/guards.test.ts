/** Who may begin a handoff, and why not: each guard by itself, for a person's press. Nothing has happened after a refusal. */
import { describe, expect, it } from 'vitest';
import type { BridgeState } from '../../../extension/machines/bridge/index.ts';
import type { Transfer } from '../../../extension/machines/handoff/index.ts';
import { type Binding, EMPTY, type Fresh, type State, step } from '../../../extension/machines/worker/index.ts';
import type { PageState, Reason } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project, QUIET } from '../worker/chat.ts';
import { NOW, TRANSFERS } from './fixtures.ts';

interface Case {
  page?: PageIdentity;
  shown?: Partial<PageState>;
  fresh?: Fresh['agents'];
  change?: (state: State) => State;
}
const env = { now: NOW, language: 'en' as const };
const agent = { pane: 'p1', name: 'pi', agent: 'pi', workspace: 'w1', cwd: null, terminal_title: null };
const working = { ...agent, status: 'working', seq: 1, last_activity_at: NOW };
const catalogue = { boot: 'b1', server: 'embedded', herdr: 'live', workspaces: [{ id: 'w1', label: 'site' }] };

function press({ page = chat(CHAT, project()), shown = {}, fresh = [], change = (state) => state }: Case) {
  const from = { tab: 7, document: 'd7', version: '1.0.0', page };
  let state: State = { ...EMPTY, config: { ...EMPTY.config, sites: ['zai', 'deepseek'] } };
  const hello = { boot: 'b1', position: 0, replaying: false, at: NOW };
  state = step(state, { type: 'hello', ...hello, fresh: { ...catalogue, agents: [] } }, env).state;
  state = step(state, { type: 'link', status: 'connected' }, env).state;
  state = step(state, { type: 'here', from, state: { ...QUIET, ...shown } }, env).state;
  if (page.project !== 'unknown' && page.conversation !== null)
    state = step(state, { type: 'bind', tab: 7, page, workspace: 'w1', continuityId: 'hc:1:abcdefgh' }, env).state;
  const before = change(state);
  const action = { name: 'handoff' as const };
  const done = step(
    before,
    { type: 'action', from, action, id: '0'.repeat(32), fresh: { ...catalogue, agents: fresh } },
    env,
  );
  return { ...done, before };
}

const rows = (state: State, more: (row: Binding) => Partial<Binding>): State => ({
  ...state,
  bindings: Object.fromEntries(Object.values(state.bindings).map((row) => [row.id, { ...row, ...more(row) }])),
});
const transfer =
  (more: Partial<Transfer>) =>
  (state: State): State => ({
    ...state,
    transfers: { 'ht:9': { ...(TRANSFERS['observing'] as Transfer), id: 'ht:9', ...more } },
  });
const other = 'https://chatgpt.com/c/77777777-eeee';
const zai: PageIdentity = {
  ...chat('https://chat.z.ai/c/1', 'none'),
  site: 'zai',
  url: 'https://chat.z.ai/c/1',
};
const loop = { paused: null, round: null, said: [{ entry: 'e', text: 'x', intro: null }], at: 0, answered: true };

const CASES: readonly [string, Reason | null, Case][] = [
  ['a quiet chat of a Project', null, {}],
  ['a quiet chat outside of any', null, { page: chat() }],
  ['a quiet chat of z.ai', null, { page: zai }],
  [
    'a Project’s home',
    'conversation_required',
    { page: { ...chat(CHAT, project()), place: 'project', conversation: null } },
  ],
  ['a site without handoffs', 'handoff_unsupported', { page: { ...zai, site: 'deepseek' } }],
  ['a Project that is not known yet', 'project_unknown', { page: chat(CHAT, 'unknown') }],
  ['a handoff of this chat', 'transfer_active', { change: transfer({ conversation: CHAT }) }],
  [
    'one of another chat of the Project',
    'transfer_active',
    { change: transfer({ conversation: other, projectKey: project().key }) },
  ],
  ['one of another place', null, { change: transfer({ conversation: other }) }],
  ['a runtime that is away', 'runtime_unavailable', { change: (state) => ({ ...state, link: 'offline' }) }],
  ['a workspace that works now', 'workspace_busy', { fresh: [working] }],
  ['another workspace that works', null, { fresh: [{ ...working, workspace: 'w2' }] }],
  [
    'rows of two lines of work',
    'binding_continuity_conflict',
    {
      change: (state) => {
        const [row] = Object.values(state.bindings);
        if (row === undefined) throw new Error('not bound');
        const second = { ...row, id: `${row.id}2`, workspace: 'w2', continuityId: 'hc:2:other' };
        return { ...state, bindings: { ...state.bindings, [second.id]: second } };
      },
    },
  ],
  [
    'a message on its way',
    'wake_in_flight',
    {
      change: (state) => {
        const from = { tab: 7, document: 'd7', version: '1.0.0', page: chat(CHAT, project()) };
        return step(state, { type: 'action', from, action: { name: 'continue' }, id: 'c', fresh: null }, env).state;
      },
    },
  ],
  [
    'a chat whose tools are at work',
    'turn_in_progress',
    {
      page: zai,
      change: (state) => {
        const loops = { [zai.conversation ?? '']: loop } as unknown as BridgeState['loops'];
        return { ...state, bridge: { ...state.bridge, loops } };
      },
    },
  ],
  ['a card that waits', 'card_waiting', { shown: { card: true } }],
  ['an answer that is written', 'turn_in_progress', { shown: { busy: true } }],
  ['a page of which nothing is known', 'turn_in_progress', { shown: { busy: null } }],
  [
    'rows that send elsewhere',
    null,
    { change: (state) => rows(state, () => ({ target: { conversation: other, url: other } })) },
  ],
];

describe('a press of Handoff', () => {
  it.each(CASES)('%s: %s', (_name, reason, given) => {
    verifies('extension.handoff');
    const { state, effects, reply, before } = press(given);
    if (reason === null) {
      expect(reply).toMatchObject({ ok: true });
      expect(Object.values(state.transfers).some(({ trigger }) => trigger === 'manual')).toBe(true);
      return;
    }
    expect(reply).toEqual({ ok: false, reason });
    expect(effects.filter(({ type }) => type === 'hand_over' || type === 'deliver')).toEqual([]);
    expect({ ...state, revision: 0 }).toEqual({ ...before, revision: 0 });
  });
});
