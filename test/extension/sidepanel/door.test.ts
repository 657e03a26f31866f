/** The panel's door in the worker: what a panel hears, and what is known of an action whose answer did not come. */
import { describe, expect, it } from 'vitest';
import type { ControlRequest, PushState } from '../../../contract/control/index.ts';
import { createConsents } from '../../../extension/background/consent.ts';
import { controlAnswer, createControl, type PanelPort } from '../../../extension/background/control.ts';
import type { NativeAnswer, NativePort } from '../../../extension/background/native.ts';
import { isSeen } from '../../../extension/background/panels.ts';
import { EMPTY } from '../../../extension/machines/worker/index.ts';
import type { ToPanel } from '../../../extension/panel.ts';
import { verifies } from '../../verifies.ts';

const state: PushState = {
  boot_id: 'boot_1',
  state_seq: 3,
  server_time: 0,
  herdr: { state: 'live', problem: null, server: 'embedded' },
  agents: [],
  workspaces: [],
  panes: [],
  lines: [],
};

function worker(answer: NativeAnswer | (() => NativeAnswer) = { ok: true, status: 200, body: state }) {
  const asked: string[] = [];
  const native: Pick<NativePort, 'request' | 'connect'> = {
    connect: async () => 'connected',
    request: async ({ path }) => {
      asked.push(path);
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const control = createControl(native);
  const panel = () => {
    const heard: ToPanel[] = [];
    let leave = () => {};
    const port: PanelPort = {
      postMessage: (message) => void heard.push(message),
      onDisconnect: {
        addListener: (act) => {
          leave = act;
        },
      },
    };
    control.attach(port);
    return { heard, close: () => leave() };
  };
  return { control, asked, panel };
}
const event = { boot: 'boot_1', number: 4, name: 'pane_removed', data: { pane: 'w1:p1' } };
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a panel', () => {
  it('hears the state once and then events; nobody is asked for them', async () => {
    verifies('control-center.panel');
    const { control, asked, panel } = worker();
    control.heard(event);
    const [one, two] = [panel(), panel()];
    await settled();
    control.heard(event);
    expect(one.heard).toEqual([
      { kind: 'state', state },
      { kind: 'event', event },
    ]);
    expect(two.heard).toEqual(one.heard);
    expect(asked).toEqual(['/push/state']);
    one.close();
    control.heard(event);
    expect(one.heard).toHaveLength(2);
    expect(two.heard).toHaveLength(3);
  });

  it('gets the state anew when the stream begins anew, and nothing is asked while no panel is open', async () => {
    const { control, asked, panel } = worker();
    control.greeted();
    expect(asked).toEqual([]);
    const one = panel();
    await settled();
    control.greeted();
    await settled();
    expect(one.heard.map(({ kind }) => kind)).toEqual(['state', 'state']);
    one.close();
    control.greeted();
    expect(asked).toHaveLength(2);
  });

  it.each<[string, NativeAnswer]>([
    ['no runtime', { ok: false, error: 'extension_ipc_unavailable' }],
    ['an older runtime', { ok: true, status: 200, body: { ...state, lines: undefined } }],
    ['a runtime in trouble', { ok: true, status: 500, body: null }],
  ])('is told that nobody answers: %s', async (_, answer) => {
    const one = worker(answer).panel();
    await settled();
    expect(one.heard).toEqual([{ kind: 'away' }]);
  });

  it('is told the state after all when the runtime was only late: the next event shows that it is there', async () => {
    const answers: NativeAnswer[] = [{ ok: false, error: 'native_request_timeout' }];
    const { control, asked, panel } = worker(() => answers.shift() ?? { ok: true, status: 200, body: state });
    const one = panel();
    await settled();
    control.heard(event);
    control.heard(event);
    await settled();
    control.heard(event);
    await settled();
    expect(one.heard.map(({ kind }) => kind)).toEqual(['away', 'event', 'event', 'state', 'event']);
    expect(asked).toHaveLength(2);
  });

  it('asks an older runtime once, however much it says', async () => {
    const { control, asked, panel } = worker({ ok: true, status: 200, body: { ...state, lines: undefined } });
    panel();
    await settled();
    for (let i = 0; i < 100; i += 1) control.heard(event);
    await settled();
    expect(asked).toHaveLength(1);
  });
});

describe('what is known of an action', () => {
  const request: ControlRequest = {
    action: 'agent_prompt',
    target: { pane_id: 'w1:p1', target_revision: `btr1_${'a'.repeat(32)}` },
    idempotency_key: 'pa:1',
    args: { text: 'x' },
  };
  it.each<[NativeAnswer, string, string]>([
    [{ ok: true, status: 200, body: { outcome: 'queued', delivery_phase: 'submitted' } }, 'queued', 'submitted'],
    [{ ok: false, error: 'native_request_timeout' }, 'uncertain', 'uncertain'],
    // The host says this also when the runtime died with the action in its hands: the key is looked up.
    [{ ok: false, error: 'extension_ipc_unavailable' }, 'uncertain', 'uncertain'],
    [{ ok: false, error: 'native_response_too_large' }, 'uncertain', 'uncertain'],
    [{ ok: false, error: 'port_closed' }, 'rejected', 'not_submitted'],
    [{ ok: false, error: 'proxy_path_not_allowed' }, 'rejected', 'not_submitted'],
    [{ ok: true, status: 400, body: { code: 'invalid_params' } }, 'rejected', 'not_submitted'],
    [{ ok: true, status: 404, body: null }, 'rejected', 'not_submitted'],
    [{ ok: true, status: 500, body: {} }, 'uncertain', 'uncertain'],
    [{ ok: true, status: 200, body: 'what?' }, 'uncertain', 'uncertain'],
  ])('%j is %s', (answer, outcome, phase) => {
    verifies('control-center.panel');
    expect(controlAnswer(request, answer)).toMatchObject({ outcome, delivery_phase: phase });
  });
});

describe('consent', () => {
  const given = { webchat_control: false, tool_bridge: true, tool_bridge_workstation_mutation: false };
  const known = { ok: true as const, endpoint_ref: 'bep_1', device_id: 'dev', consent: given, consent_revision: 4 };

  it('is changed at the revision that was shown, leaves the rest as it is, and says when it was changed elsewhere', async () => {
    verifies('control-center.panel');
    const asked: unknown[] = [];
    const consents = createConsents({
      endpoint: async () => known,
      runtime: {
        registry: async (request) => {
          asked.push(request);
          return {
            ok: false,
            code: 'browser_consent_revision_conflict',
            message: '',
            next: '',
            consent: { ...given, webchat_control: true },
            consent_revision: 5,
          };
        },
      },
    });
    expect(await consents.read()).toEqual({ webchat: false, revision: 4, conflict: false });
    expect(await consents.set({ webchat: true, revision: 4 })).toEqual({ webchat: true, revision: 5, conflict: true });
    expect(asked).toEqual([
      {
        operation: 'endpoint.consent',
        endpoint_ref: 'bep_1',
        expected_revision: 4,
        consent: { ...given, webchat_control: true },
      },
    ]);
  });

  it('is not known where the runtime cannot say', async () => {
    const consents = createConsents({ endpoint: async () => null, runtime: { registry: async () => null } });
    expect(await consents.read()).toBeNull();
    expect(await consents.set({ webchat: true, revision: 1 })).toBeNull();
  });
});

it('pages are told of what they show, not of a position in the stream', () => {
  const moved = { ...EMPTY, stream: { ...EMPTY.stream, position: 9 }, revision: 9 };
  expect(isSeen(EMPTY, moved)).toBe(false);
  expect(isSeen(EMPTY, { ...EMPTY, link: 'offline' })).toBe(true);
  expect(isSeen(EMPTY, { ...EMPTY, stream: { ...EMPTY.stream, herdr: 'live' } })).toBe(true);
});
