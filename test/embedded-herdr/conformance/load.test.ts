import { describe, expect, it } from 'vitest';
import { requestLine } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { Line, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

describe('load', () => {
  it('a pane that prints 100 MB ends, is still readable, and holds nobody up', { timeout: 240_000 }, async () => {
    verifies('embedded.pty');
    const { pane_id } = await herdr.open('flood');
    const other = await herdr.open('calm');
    await herdr.call('pane.send_input', {
      pane_id,
      text: `head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 79; echo flood-o''ver`,
      keys: ['enter'],
    });
    await until('the flood', async () => (await herdr.screen(pane_id)).includes('xxxxxxxx'));
    await herdr.run(other.pane_id, `echo still-he''re`, 'still-here\n');
    const over = async () => (await herdr.screen(pane_id)).includes('flood-over\n');
    await until('the end of the flood', over, 200_000);
    const { read } = await herdr.call('pane.read', { pane_id, source: 'recent', lines: 1000 });
    expect(read.text).toContain('xxxxxxxx');
    expect(read.truncated).toBe(!theirs(herdr, 'truncated-always-false'));
  });

  it('two hundred panes are there at once and all answer', { timeout: 120_000 }, async () => {
    const root = await herdr.open('many');
    const panes = [root.pane_id];
    while (panes.length < 200) {
      const batch = Math.min(20, 200 - panes.length);
      const tab = { workspace_id: root.workspace_id, cwd: herdr.work };
      const made = await Promise.all(Array.from({ length: batch }, () => herdr.call('tab.create', tab)));
      panes.push(...made.map(({ root_pane }) => root_pane.pane_id));
    }
    const last = panes.at(-1) ?? '';
    const { snapshot } = await herdr.call('session.snapshot', {});
    expect(snapshot.panes.filter((pane) => pane.workspace_id === root.workspace_id)).toHaveLength(200);
    await Promise.all(
      panes.map((pane_id) => herdr.call('pane.send_input', { pane_id, text: `echo a''live`, keys: ['enter'] })),
    );
    await Promise.all(
      panes.map((pane_id) => until(`${pane_id} alive`, async () => (await herdr.screen(pane_id)).includes('alive\n'))),
    );
    await herdr.run(last, `pi`, 'pi (scripted)');
    await until('an agent among them', async () =>
      (await herdr.call('agent.list', {})).agents.some((agent) => agent.pane_id === last && agent.agent === 'pi'),
    );
    await herdr.call('workspace.close', { workspace_id: root.workspace_id });
    await until('all gone', async () => {
      const now = (await herdr.call('session.snapshot', {})).snapshot;
      return now.panes.every((pane) => pane.workspace_id !== root.workspace_id);
    });
  });

  it('callers that crash, or stop reading, cost nobody anything', async () => {
    const { pane_id, workspace_id } = await herdr.open('crashing');
    const wait = { pane_id, source: 'visible', match: { type: 'substring', value: 'never-printed' } };
    for (let i = 0; i < 40; i++) {
      const line = new Line(herdr.path);
      await line.open();
      line.socket.write(requestLine('w', 'pane.wait_for_output', wait));
      await until('the request out', () => line.socket.writableLength === 0);
      line.socket.destroy();
    }
    const deaf = new Line(herdr.path);
    await deaf.open();
    deaf.socket.pause();
    deaf.socket.write(requestLine('s', 'events.subscribe', { subscriptions: [{ type: 'workspace.renamed' }] }));
    for (let round = 0; round < 300; round++) {
      await herdr.call('workspace.rename', { workspace_id, label: `${'l'.repeat(20_000)}${round}` });
    }
    expect((await herdr.call('workspace.rename', { workspace_id, label: 'calm' })).workspace.label).toBe('calm');
    deaf.socket.destroy();
    await herdr.run(pane_id, `echo still-he''re`, 'still-here\n');
  });
});
