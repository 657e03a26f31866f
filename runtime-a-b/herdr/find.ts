/** Which workspace, pane or agent a caller means: an id, a label or name, or a device-aware ref. Pure. */
import type { AgentInfo, PaneInfo, WorkspaceInfo } from '../../contract/herdr/index.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { decodeRef } from '../../contract/refs.ts';
import type { HerdrView, LiveHerdr } from './view.ts';

/** Candidates named in an error: enough to choose from, not an inventory. */
const CANDIDATES_NAMED = 20;

/** An id inside a ref or written out: `embedded/w1`, `h0123456789ab/w1:p2`. The key names the Herdr it belongs to. */
const KEYED_ID = /^(embedded|unknown|h[0-9a-f]{12})\/(.+)$/;

/**
 * The workspace with this id, ref or label. Throws `herdr_unavailable` while nothing is known, `workspace_not_found`
 * with the candidates, also when a label fits several or when the ref belongs to another Herdr or workstation.
 */
export function findWorkspace(view: HerdrView, text: string, deviceId: string): WorkspaceInfo {
  assertKnown(view);
  const id = plainId(view, text, deviceId, 'workspace');
  const byId = view.workspaces.find((workspace) => workspace.workspace_id === id);
  if (byId) return byId;
  const byLabel = view.workspaces.filter((workspace) => workspace.label === text);
  if (byLabel.length === 1 && byLabel[0]) return byLabel[0];
  const what = byLabel.length > 1 ? `is the label of ${byLabel.length} workspaces` : 'is no open workspace';
  throw new OutcomeError('workspace_not_found', `${quote(text)} ${what}. Nothing was run.`, {
    delivery: 'not_delivered',
    next: 'Use the id of one of the candidates.',
    details: { candidates: candidates(byLabel.length > 1 ? byLabel : view.workspaces) },
  });
}

const candidates = (workspaces: readonly WorkspaceInfo[]) =>
  workspaces.slice(0, CANDIDATES_NAMED).map(({ workspace_id, label }) => ({ id: workspace_id, label }));

/**
 * The agent with this name, or the one in this pane. Throws `agent_not_found`, or `agent_target_ambiguous` when a name
 * fits several (Herdr keeps names unique, a picture from lists need not be).
 */
export function findAgent(view: HerdrView, text: string, deviceId: string): AgentInfo {
  assertKnown(view);
  const id = plainId(view, text, deviceId, 'pane');
  const byPane = view.agents.find((agent) => agent.pane_id === id);
  if (byPane) return byPane;
  const byName = view.agents.filter((agent) => agent.name === text);
  if (byName.length === 1 && byName[0]) return byName[0];
  if (byName.length > 1) {
    throw new OutcomeError(
      'agent_target_ambiguous',
      `${quote(text)} names ${byName.length} agents. Nothing was sent.`,
      {
        delivery: 'not_delivered',
        next: 'Use the pane id of the one that you mean.',
        details: { candidates: byName.map(agentCandidate) },
      },
    );
  }
  const kind = view.agents.filter((agent) => agent.agent === text);
  const pane = view.panes.find((candidate) => candidate.pane_id === id);
  const why = pane
    ? 'is a pane without an agent'
    : kind.length > 0
      ? 'is a kind of agent, not the name of one'
      : 'is neither the name of an agent nor a pane with one';
  throw new OutcomeError('agent_not_found', `${quote(text)} ${why}. Nothing was sent.`, {
    delivery: 'not_delivered',
    next: 'Use a name or pane id of the candidates; where there is none, herdr_call agent.start starts an agent in a pane.',
    details: { candidates: (kind.length > 0 ? kind : view.agents).slice(0, CANDIDATES_NAMED).map(agentCandidate) },
  });
}

const agentCandidate = ({ name, agent, pane_id, agent_status }: AgentInfo) => ({
  ...(name === undefined ? {} : { name }),
  ...(agent === undefined ? {} : { kind: agent }),
  pane: pane_id,
  status: agent_status,
});

/** The pane with this id or ref, or undefined. */
export function findPane(view: HerdrView, text: string, deviceId: string): PaneInfo | undefined {
  const id = plainId(view, text, deviceId, 'pane');
  return view.panes.find((pane) => pane.pane_id === id);
}

/** Looks in the present picture, and once more in a fresh one before anything counts as missing. */
export async function findNow<T>(live: LiveHerdr, find: (view: HerdrView) => T): Promise<T> {
  const view = live.view();
  try {
    if (view.state === 'live') return find(view);
  } catch (error) {
    if (!(error instanceof OutcomeError) || !MISSING.has(error.code)) throw error;
  }
  return find(await live.refresh());
}

const MISSING: ReadonlySet<string> = new Set(['workspace_not_found', 'agent_not_found']);

/** While there never was a picture, nothing can be said about what exists. */
export function assertKnown(view: HerdrView): void {
  if (view.state !== 'unknown') return;
  const code = view.problem?.code === 'herdr_too_old' ? 'herdr_too_old' : 'herdr_unavailable';
  throw new OutcomeError(code, `${view.problem?.message ?? 'Herdr has not answered yet'}. Nothing was run.`, {
    delivery: 'not_delivered',
    next:
      code === 'herdr_too_old'
        ? 'Update Herdr on the workstation.'
        : 'Start Herdr on the workstation, or herdr-mcp again (npm start), which brings a Herdr of its own; then try again.',
  });
}

/** The plain id behind a ref or a keyed id; other text is given back as it is. */
export function plainId(view: HerdrView, text: string, deviceId: string, what: 'workspace' | 'pane'): string {
  const ref = decodeRef(text);
  if (ref === 'malformed') throw badRef(text, 'is damaged');
  if (ref === null) return unkeyed(view, text);
  if (ref.device !== deviceId) {
    throw new OutcomeError('device_ref_conflict', 'The ref belongs to another workstation. Nothing was run.', {
      next: 'Call that workstation, or use a ref that herdr_inspect of this one gave.',
      details: { ref_device: ref.device, device: deviceId },
    });
  }
  if (what === 'workspace') {
    if ('workspace' in ref) return unkeyed(view, ref.workspace);
    return unkeyed(view, ref.pane).split(':')[0] ?? '';
  }
  if ('pane' in ref) return unkeyed(view, ref.pane);
  throw badRef(text, 'names a workspace, not a pane');
}

function unkeyed(view: HerdrView, text: string): string {
  const match = KEYED_ID.exec(text);
  const [, key, id] = match ?? [];
  if (key === undefined || id === undefined) return text;
  const current = view.server?.key;
  if (key === current) return id;
  throw new OutcomeError(
    'device_ref_conflict',
    'The ref belongs to another Herdr server than the one that runs now. Nothing was run.',
    {
      next: 'Call herdr_inspect and use an id of what is open now.',
      details: { ref_server: key, server: current ?? null },
    },
  );
}

function badRef(text: string, why: string): OutcomeError {
  return new OutcomeError('invalid_params', `The ref ${quote(text)} ${why}. Nothing was run.`, {
    next: 'Use a ref or an id exactly as herdr_inspect gave it.',
  });
}

const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
