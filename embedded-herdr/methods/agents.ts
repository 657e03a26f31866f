import type { AgentInfo } from '../../contract/herdr/index.ts';
import { explainRules, judge, rulesFor, screenSkipped } from '../agents/index.ts';
import { GRACE_MS } from '../limits.ts';
import { advanceLaunch, agentInfo, focusPane, hostsAgent, panesInOrder, paneUpdated } from '../session/index.ts';
import { glimpse } from '../watch/index.ts';
import { agentNamed, CallError, type Handlers } from './call.ts';
import { readPane } from './panes.ts';
import { promptAgent, requireReady } from './prompt.ts';
import { SETTLED, statusWait } from './settle.ts';
import { checkName, startAgent } from './start.ts';
import { keysOf, type } from './typing.ts';
import { waiting } from './waiting.ts';

type Owned = 'agent.list' | 'agent.get' | 'agent.read' | 'agent.explain' | 'agent.send_keys' | 'agent.rename';
type OwnedToo = 'agent.focus' | 'agent.start' | 'agent.prompt' | 'agent.wait';

export const agentMethods: Pick<Handlers, Owned | OwnedToo> = {
  'agent.list': (_params, { session }) => ({
    type: 'agent_list',
    agents: panesInOrder(session)
      .filter(hostsAgent)
      .map((pane) => agentInfo(session, pane)),
  }),
  'agent.get': ({ target }, { session }) => {
    advanceLaunch(session, agentNamed(session, target), GRACE_MS);
    return { type: 'agent_info', agent: agentInfo(session, agentNamed(session, target)) };
  },
  'agent.read': (params, { session }) => {
    const pane = agentNamed(session, params.target);
    const deep = params.source.startsWith('recent') && (params.lines ?? 0) > pane.terminal.rows();
    if (deep && pane.terminal.alternateScreen() && pane.track.state !== 'idle') {
      throw new CallError(
        'agent_not_idle',
        `${params.target} draws on the alternate screen and is not idle: only its screen can be read now`,
      );
    }
    return { type: 'pane_read', read: readPane(pane, params) };
  },
  'agent.explain': ({ target }, { session }) => {
    const pane = agentNamed(session, target);
    const { agent } = pane.track;
    if (agent === undefined) {
      throw new CallError('agent_explain_unavailable', `${target} is not recognised yet: there is nothing to explain`);
    }
    const seen = glimpse(pane);
    const verdict = judge(rulesFor(agent), seen);
    return {
      type: 'agent_explain',
      explain: {
        agent,
        state: pane.track.state,
        matched_rule: verdict?.rule ?? null,
        visible_idle: verdict?.state === 'idle',
        visible_blocker: verdict?.state === 'blocked',
        visible_working: verdict?.state === 'working',
        screen_detection_skipped: screenSkipped(pane.track),
        fallback_reason: verdict ? null : 'no rule matches, which for a known agent means idle',
        report_source: pane.track.report?.source ?? null,
        evaluated_rules: explainRules(rulesFor(agent), seen),
      },
    };
  },
  'agent.send_keys': ({ target, keys }, { session }) => {
    const pane = agentNamed(session, target);
    const bytes = keysOf(pane, keys).join('');
    requireReady(session, pane);
    type(pane, bytes, 'agent_send_keys_failed');
    return { type: 'ok' };
  },
  'agent.rename': ({ target, name }, { session }) => {
    const pane = agentNamed(session, target);
    if (pane.launch && !pane.launch.ready) {
      throw new CallError('agent_launch_pending', `${target} is still starting; its name stays until it is ready`);
    }
    if (name !== undefined && name !== null && name !== pane.name) checkName(session, name);
    const next = name ?? undefined;
    if (next !== pane.name) {
      pane.name = next;
      paneUpdated(session, pane);
    }
    return { type: 'agent_info', agent: agentInfo(session, pane) };
  },
  'agent.focus': ({ target }, { session }) => {
    const pane = agentNamed(session, target);
    focusPane(session, pane);
    return { type: 'agent_info', agent: agentInfo(session, pane) };
  },
  'agent.start': startAgent,
  'agent.prompt': promptAgent,
  'agent.wait': async ({ target, until, timeout_ms }, call) => {
    const { session } = call;
    const pane = agentNamed(session, target);
    const wait = statusWait(session, pane, until ?? SETTLED);
    const agent = await waiting<AgentInfo>(
      call,
      timeout_ms ?? undefined,
      'no requested status was reached',
      (settle) => {
        const offs = [
          session.signals.status.on((moment) => {
            if (moment.pane === pane) settle(() => wait.at(moment));
          }),
          session.signals.shown.on((changed) => {
            if (changed === pane) settle(() => void wait.stillThere());
          }),
          session.signals.gone.on((removed) => {
            if (removed === pane) settle(() => void wait.stillThere());
          }),
        ];
        settle(() => wait.now());
        return () => {
          for (const off of offs) off();
        };
      },
    );
    return { type: 'agent_info', agent };
  },
};
