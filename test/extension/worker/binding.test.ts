import { describe, expect, it } from 'vitest';
import { userTurnAccepted } from '../../../extension/machines/worker/binding.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project, QUIET } from './chat.ts';
import { world } from './world.ts';

const OTHER = 'https://chatgpt.com/c/22222222-bbbb';
const home = {
  ...chat(),
  place: 'project' as const,
  conversation: null,
  project: project(),
  url: `${project().key}/project`,
};
const root = { ...chat(), place: 'root' as const, conversation: null, url: 'https://chatgpt.com/' };
const rows = async (it: ReturnType<typeof world>) => Object.values((await it.state()).bindings);

describe('a binding', () => {
  it('is of a conversation, once, to a workspace that exists', async () => {
    verifies('extension.binding', 'compat.binding');
    const it = world();
    await it.begin();
    expect(await it.bind('w9')).toMatchObject({ reason: 'workspace_gone' });
    expect(await it.bind('')).toMatchObject({ reason: 'workspace_required' });
    expect(await it.bind()).toMatchObject({ ok: true });
    expect(await it.bind()).toMatchObject({ reason: 'already_bound' });
    expect(await rows(it)).toMatchObject([
      { scope: 'conversation', scopeKey: CHAT, server: 'embedded', workspace: 'w1', target: { conversation: CHAT } },
    ]);
  });

  it('of a Project exists before any chat does, and gets its target by the first turn of the person', async () => {
    verifies('extension.binding');
    const it = world({ page: home });
    await it.begin();
    await it.bind();
    expect(await rows(it)).toMatchObject([{ scope: 'project', target: null, tab: null }]);
    const first = chat(CHAT, project());
    await it.page({}, first);
    expect((await rows(it))[0]?.target).toBeNull();
    await it.take({ type: 'turn_accepted', from: it.from(), text: 'go on' });
    expect(await rows(it)).toMatchObject([{ scope: 'project', target: { conversation: CHAT }, revision: 2 }]);
  });

  it('of a Project moves by an accepted turn in another chat; not by opening one', async () => {
    verifies('extension.binding');
    const it = world({ page: chat(CHAT, project()) });
    await it.begin();
    await it.bind();
    const other = chat(OTHER, project());
    await it.page({}, other);
    await it.page({ visible: true });
    expect((await rows(it))[0]?.target?.conversation).toBe(CHAT);
    await it.take({ type: 'turn_accepted', from: it.from(), text: 'here now' });
    expect((await rows(it))[0]?.target?.conversation).toBe(OTHER);
  });

  it('of a Project stays where it is while a transfer of that Project runs', async () => {
    verifies('extension.binding');
    const it = world({ page: chat(CHAT, project()) });
    await it.begin();
    await it.bind();
    const other = chat(OTHER, project());
    await it.press({ name: 'handoff' });
    const state = await it.state();
    expect(Object.values(state.transfers)).toMatchObject([{ conversation: CHAT, projectKey: project().key }]);
    expect(userTurnAccepted(state, other, 7)).toBe(state);
    const [running] = Object.values(state.transfers);
    if (running === undefined) throw new Error('no handover runs');
    const elsewhere = { ...running, projectKey: 'https://chatgpt.com/g/g-p-other' };
    expect(userTurnAccepted({ ...state, transfers: { t1: elsewhere } }, other, 7).bindings).not.toEqual(state.bindings);
  });

  it('of a tab without a place moves once to the first one, and joins what is bound there', async () => {
    verifies('extension.binding');
    const it = world({ page: root });
    await it.begin();
    await it.bind();
    expect(await rows(it)).toMatchObject([{ scope: 'pending', scopeKey: 'tab:7' }]);
    await it.page({}, chat());
    expect(await rows(it)).toMatchObject([{ scope: 'conversation', scopeKey: CHAT, target: { conversation: CHAT } }]);
    await it.page({}, chat(OTHER));
    expect(await rows(it)).toMatchObject([{ scopeKey: CHAT, target: { conversation: CHAT } }]);
  });

  it('outlives page, worker and browser; a label is display, and a closed workspace ends it visibly', async () => {
    verifies('extension.binding', 'compat.binding');
    const it = world();
    await it.begin();
    await it.bind();
    await it.reloadPage();
    await it.restartWorker();
    await it.restartBrowser();
    await it.hello({
      workspaces: [
        { id: 'w1', label: 'renamed' },
        { id: 'w2', label: 'site' },
      ],
    });
    expect(await rows(it)).toMatchObject([{ workspace: 'w1', label: 'renamed' }]);
    await it.pushed('workspace_removed', { workspace: 'w1' });
    expect(await rows(it)).toEqual([]);
    expect((await it.state()).retired).toMatchObject([{ label: 'renamed', why: 'workspace_closed' }]);
  });

  it('ends with its Herdr: the w1 of another server is not the one that was bound', async () => {
    verifies('extension.binding');
    const it = world();
    await it.begin();
    await it.bind();
    await it.hello({ server: 'h0123' });
    expect(await rows(it)).toEqual([]);
    expect((await it.state()).retired).toMatchObject([{ why: 'server_changed' }]);
  });

  it('is not ended by a Herdr that is away', async () => {
    const it = world();
    await it.begin();
    await it.bind();
    await it.hello({ herdr: 'stale', workspaces: [] });
    expect(await rows(it)).toHaveLength(1);
  });

  it('is removed alone', async () => {
    verifies('extension.binding');
    const it = world();
    await it.begin();
    await it.hello({
      workspaces: [
        { id: 'w1', label: 'a' },
        { id: 'w2', label: 'b' },
      ],
    });
    await it.bind('w1');
    await it.bind('w2');
    const [first, second] = await rows(it);
    await it.take({ type: 'unbind', binding: first?.id ?? '' });
    expect(await rows(it)).toEqual([second]);
    expect(first?.continuityId).toBe(second?.continuityId);
  });

  it('fifty of them are kept apart', async () => {
    const it = world();
    await it.begin();
    const workspaces = Array.from({ length: 50 }, (_, index) => ({ id: `w${index}`, label: `n${index}` }));
    await it.hello({ workspaces });
    for (const { id } of workspaces) {
      const page = chat(`https://chatgpt.com/c/${id}-0000`);
      await it.take({ type: 'bind', tab: 9, page, workspace: id, continuityId: `hc:1:${id}aaaaaaa` });
    }
    await it.restartWorker();
    expect(new Set((await rows(it)).map(({ scopeKey }) => scopeKey)).size).toBe(50);
  });
});

it('two tabs of one conversation are one target, and a draft in either holds the message back', async () => {
  verifies('extension.wake');
  const it = world();
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  const second = { ...it.from(), tab: 8, document: 'other' };
  await it.take({ type: 'here', from: second, state: { ...QUIET, draft: true } });
  await it.agent('w1:p1', 'working', 1);
  await it.agent('w1:p1', 'done', 2);
  expect(it.turns).toEqual([]);
  await it.take({ type: 'tab_gone', tab: 8 });
  expect(it.turns).toHaveLength(1);
});
