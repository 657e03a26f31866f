/** A scripted Herdr whose panes and agents are what a test says at that moment, and who carries out whatever it is told. */
import type { AgentInfo, PaneInfo } from '../../../contract/herdr/index.ts';
import { FakeError, type FakeHerdr, fakeHerdr, paneRead, snapshotOf, workspace } from '../support/index.ts';

export function actedOn(now: () => { panes: PaneInfo[]; agents: AgentInfo[] }): Promise<FakeHerdr> {
  const found = (target: unknown) => now().agents.find(({ pane_id: id }) => id === target);
  return fakeHerdr({
    'session.snapshot': () => snapshotOf({ workspaces: [workspace('w1')], ...now() }),
    'agent.list': () => ({ type: 'agent_list', agents: now().agents }),
    'agent.get': ({ params }) => {
      const agent = found(params.target);
      return agent ? { type: 'agent_info', agent } : new FakeError('agent_not_found');
    },
    'agent.prompt': ({ params }) => ({
      type: 'agent_prompted',
      agent: { ...found(params.target), state_change_seq: 2, agent_status: 'working' },
    }),
    'pane.read': ({ params }) => paneRead(params.pane_id, 'make test\n\u001b[32m12 passed\u001b[0m\n'),
    'pane.send_input': () => ({ type: 'ok' }),
    'pane.send_keys': () => ({ type: 'ok' }),
  });
}
