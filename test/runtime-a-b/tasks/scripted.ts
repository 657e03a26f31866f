/** A scripted Herdr whose agents do what the test says, look by look, with a counter of state changes as Herdr has one. */
import type { AgentInfo, AgentStatus } from '../../../contract/herdr/index.ts';
import { agent, FakeError, type FakeHerdr, fakeHerdr, pane, snapshotOf, tab, workspace } from '../support/index.ts';

export interface Scripted {
  server: FakeHerdr;
  agents: Map<string, AgentInfo>;
  /** Sets a status; every change moves the server's counter on. */
  set(name: string, status: AgentStatus): void;
  /** A turn that begins and ends before anybody looks. */
  shortTurn(name: string): void;
  leave(name: string): void;
  /** Texts that were typed, by agent. */
  prompts: { target: string; text: string }[];
  /** Called for each prompt, before it is answered. */
  onPrompt: (name: string) => void;
  /** Called at each look at all agents, before it is answered. */
  onLook: () => void;
  /** Old pane ids of panes that moved, each with its new one. */
  aliases: Map<string, string>;
  /** How many looks at all agents were answered. */
  looks: number;
  /** Herdr does not answer while this is true. */
  away: boolean;
}

export async function scriptedHerdr(names: readonly string[]): Promise<Scripted> {
  let counter = 100;
  const agents = new Map<string, AgentInfo>();
  names.forEach((name, i) => {
    const id = `w1:p${i + 1}`;
    agents.set(name, agent(id, { name, agent_status: 'idle', state_change_seq: 1 }));
  });
  const byPane = (target: unknown) =>
    [...agents.values()].find(({ pane_id, name }) => [pane_id, name].includes(String(target)));
  const list = () => {
    scripted.looks += 1;
    scripted.onLook();
    return [...agents.values()];
  };
  const panes = names.map((_, i) => pane(`w1:p${i + 1}`));
  const server = await fakeHerdr({
    'session.snapshot': (_, socket) =>
      scripted.away
        ? void socket.destroy()
        : snapshotOf({ workspaces: [workspace('w1')], tabs: [tab('w1:t1')], panes, agents: list() }),
    'agent.list': (_, socket) => (scripted.away ? void socket.destroy() : { type: 'agent_list', agents: list() }),
    'agent.get': ({ params }) => {
      const found = byPane(params.target);
      return found ? { type: 'agent_info', agent: found } : new FakeError('agent_not_found');
    },
    // Panes of agents that moved to another workspace are found by their old id too, as Herdr's aliases are.
    'pane.get': ({ params }) => {
      const now = scripted.aliases.get(String(params.pane_id)) ?? String(params.pane_id);
      return { type: 'pane_info', pane: pane(now) };
    },
    'pane.read': ({ params }) => ({
      type: 'pane_read',
      read: { pane_id: params.pane_id, text: `last row of ${String(params.pane_id)}` },
    }),
    'agent.prompt': ({ params }) => {
      const target = byPane(params.target);
      const name = target?.name ?? '';
      scripted.prompts.push({ target: name, text: String(params.text) });
      scripted.onPrompt(name);
      return { type: 'agent_prompted', agent: byPane(params.target) };
    },
  });
  const change = (name: string, more: Partial<AgentInfo>) => {
    const now = agents.get(name);
    if (!now) throw new Error(`no agent ${name}`);
    agents.set(name, { ...now, ...more });
  };
  const scripted: Scripted = {
    server,
    agents,
    set(name, status) {
      counter += 1;
      change(name, { agent_status: status, state_change_seq: counter });
    },
    shortTurn(name) {
      counter += 2;
      change(name, { state_change_seq: counter });
    },
    leave: (name) => void agents.delete(name),
    prompts: [],
    onPrompt: () => {},
    onLook: () => {},
    aliases: new Map(),
    looks: 0,
    away: false,
  };
  return scripted;
}
