import type { AgentSessionInfo } from '../../contract/herdr/index.ts';
import { type AgentReport, clearAuthority, isOfficial, release, report, reportSession } from '../agents/index.ts';
import { applyStep, type Pane, paneUpdated, type Session, workspaceInfo } from '../session/index.ts';
import { probeForeground } from '../watch/index.ts';
import { CallError, type Handlers, paneNamed, workspaceNamed } from './call.ts';
import { checkSource, checkStateLabels, checkTtl, nextTokens, shortText, takesSequence } from './metadata.ts';

const checkAgent = (agent: string): void => {
  if (agent.trim() === '') throw new CallError('invalid_agent', 'agent is blank; nothing was changed');
};

interface NativeSession {
  source: string;
  agent: string;
  agent_session_id?: string | null;
  agent_session_path?: string | null;
}

/** The native conversation that a report names; its id is the better reference where both are given, and a path only when absolute. */
function nativeSession({
  source,
  agent,
  agent_session_id,
  agent_session_path,
}: NativeSession): AgentSessionInfo | undefined {
  if (!isOfficial(source)) return undefined;
  if (agent_session_id && !/[\x00-\x1f\x7f]/.test(agent_session_id)) {
    return { source, agent, kind: 'id', value: agent_session_id };
  }
  if (agent_session_path?.startsWith('/')) return { source, agent, kind: 'path', value: agent_session_path };
  return undefined;
}

/** Does `expire` after a while, unless the server ends before. */
function later(ttlMs: number | null | undefined, expire: () => void): void {
  if (ttlMs !== null && ttlMs !== undefined) setTimeout(expire, ttlMs).unref();
}

type PaneMetadata = Parameters<Handlers['pane.report_metadata']>[0];

/** Whether metadata is meant for the agent that is here: it may name an agent, or the source that has authority. */
function meansThisAgent(pane: Pane, params: PaneMetadata): boolean {
  if (typeof params.agent === 'string' && params.agent !== pane.track.agent) return false;
  return typeof params.applies_to_source !== 'string' || params.applies_to_source === pane.track.report?.source;
}

function checkMetadata(params: PaneMetadata): void {
  checkSource(params.source);
  checkTtl(params.ttl_ms);
  checkStateLabels(params.state_labels);
  if (params.agent?.trim() === '') throw new CallError('invalid_agent', 'agent is blank; nothing was changed');
  const contradictions =
    (params.clear_title && typeof params.title === 'string') ||
    (params.clear_display_agent && typeof params.display_agent === 'string') ||
    (params.clear_state_labels && params.state_labels !== undefined);
  if (contradictions) {
    throw new CallError(
      'invalid_metadata_request',
      'the same field is set and cleared in one call; nothing was changed',
    );
  }
}

function present(session: Session, pane: Pane, params: PaneMetadata): void {
  const before = pane.presentation;
  const tokens = nextTokens(before.tokens, params.tokens ?? {});
  const next = {
    title: params.clear_title ? undefined : params.title ? shortText(params.title) : before.title,
    displayAgent: params.clear_display_agent
      ? undefined
      : params.display_agent
        ? shortText(params.display_agent)
        : before.displayAgent,
    stateLabels: params.clear_state_labels
      ? {}
      : Object.fromEntries(
          Object.entries({ ...before.stateLabels, ...params.state_labels }).map(([name, label]) => [
            name,
            shortText(label),
          ]),
        ),
    tokens,
  };
  if (JSON.stringify(next) === JSON.stringify(before)) return;
  if (JSON.stringify(next.tokens) !== JSON.stringify(before.tokens)) pane.revision += 1;
  pane.presentation = next;
  paneUpdated(session, pane);
  later(params.ttl_ms, () => {
    // Only what this call set, and only while nobody has set something newer.
    if (session.panes.get(pane.id) !== pane || pane.presentation !== next) return;
    if (JSON.stringify(before.tokens) !== JSON.stringify(next.tokens)) pane.revision += 1;
    pane.presentation = before;
    paneUpdated(session, pane);
  });
}

type Owned = 'pane.report_agent' | 'pane.report_agent_session' | 'pane.report_metadata' | 'pane.clear_agent_authority';

export const reportingMethods: Pick<Handlers, Owned | 'pane.release_agent' | 'workspace.report_metadata'> = {
  'pane.report_agent': (params, { session }) => {
    const pane = paneNamed(session, params.pane_id);
    checkAgent(params.agent);
    if (!takesSequence(pane.sequences, `agent ${params.source}`, params.seq)) return { type: 'ok' };
    const native = nativeSession(params);
    const given: AgentReport = {
      source: params.source,
      agent: params.agent.trim(),
      state: params.state,
      ...(native ? { session: native } : {}),
    };
    const shellInFront = probeForeground(session, pane)?.kind === 'shell';
    applyStep(session, pane, report(pane.track, given, shellInFront, session.ports.now()));
    return { type: 'ok' };
  },
  'pane.report_agent_session': (params, { session }) => {
    const pane = paneNamed(session, params.pane_id);
    checkAgent(params.agent);
    if (!takesSequence(pane.sequences, `session ${params.source}`, params.seq)) return { type: 'ok' };
    const native = nativeSession(params);
    if (native) pane.track = reportSession(pane.track, native);
    return { type: 'ok' };
  },
  'pane.report_metadata': (params, { session }) => {
    const pane = paneNamed(session, params.pane_id);
    checkMetadata(params);
    nextTokens(pane.presentation.tokens, params.tokens ?? {});
    if (!takesSequence(pane.sequences, `metadata ${params.source}`, params.seq)) return { type: 'ok' };
    if (meansThisAgent(pane, params)) present(session, pane, params);
    return { type: 'ok' };
  },
  'pane.clear_agent_authority': ({ pane_id, source, seq }, { session }) => {
    const pane = paneNamed(session, pane_id);
    if (source && !takesSequence(pane.sequences, `agent ${source}`, seq)) return { type: 'ok' };
    applyStep(session, pane, clearAuthority(pane.track, source ?? undefined));
    return { type: 'ok' };
  },
  'pane.release_agent': ({ pane_id, source, agent, seq }, { session }) => {
    const pane = paneNamed(session, pane_id);
    checkAgent(agent);
    if (!takesSequence(pane.sequences, `agent ${source}`, seq)) return { type: 'ok' };
    applyStep(session, pane, release(pane.track, source, agent));
    return { type: 'ok' };
  },
  'workspace.report_metadata': ({ workspace_id, source, tokens, seq, ttl_ms }, { session }) => {
    const workspace = workspaceNamed(session, workspace_id);
    checkSource(source);
    checkTtl(ttl_ms);
    const before = workspace.tokens;
    const next = nextTokens(before, tokens);
    if (!takesSequence(workspace.tokenSequences, source, seq)) return { type: 'ok' };
    const set = (value: Record<string, string>): void => {
      if (JSON.stringify(value) === JSON.stringify(workspace.tokens)) return;
      workspace.tokens = value;
      session.ports.ring.append({
        event: 'workspace_metadata_updated',
        data: { type: 'workspace_metadata_updated', workspace: workspaceInfo(session, workspace) },
      });
    };
    set(next);
    later(ttl_ms, () => {
      if (session.workspaces.includes(workspace) && workspace.tokens === next) set(before);
    });
    return { type: 'ok' };
  },
};
