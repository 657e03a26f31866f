import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_ACCOUNT } from '../../../contract/extension/registry.ts';
import { type Browser, openBrowser } from '../../../runtime-a-b/browser/index.ts';
import { openState, type State } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { silent, tempFolder } from '../support/index.ts';

let folder: ReturnType<typeof tempFolder>;
let state: State;
let browser: Browser;
let now: number;
let counter: number;

beforeEach(() => {
  folder = tempFolder();
  now = 1_000_000;
  counter = 0;
  open();
});
afterEach(() => {
  state.close();
  folder.remove();
});

function open(): void {
  state = openState(`${folder.path}/state`);
  const random = (bytes: number) => {
    counter += 1;
    return new Uint8Array(bytes).fill(counter);
  };
  browser = openBrowser({ state, deviceId: 'dev_x', nowMs: () => now, random, log: silent });
}

const send = (operation: string, body: object) =>
  ({ ...browser.handle({ operation, ...body }) }) as Record<string, unknown>;
const register = (seed = 'a', version = '1.1.0') =>
  send('endpoint.register', { profile_seed: seed.repeat(64), browser_family: 'chrome', extension_version: version });
const provide = (endpoint_ref: unknown, capabilities: string[] = ['composer.submit'], adapter_protocol_version = 1) =>
  send('provider.observe', { endpoint_ref, provider: 'chatgpt', adapter_protocol_version, capabilities });

/** A registered browser with a signed-in account. */
function signedIn(seed = 'a') {
  const endpoint_ref = register(seed).endpoint_ref;
  const expected_generation = Number(provide(endpoint_ref).observation_generation);
  const observe = (kind: string, native_identity: string, more: object = {}) =>
    send('resource.observe', {
      endpoint_ref,
      provider: 'chatgpt',
      kind,
      native_identity,
      expected_generation,
      ...more,
    });
  const account = observe('account', 'user-1').resource_ref;
  return { endpoint_ref, expected_generation, observe, account };
}

describe('the browser registry', () => {
  it('knows a browser profile again by its seed, also after a restart, and never stores the seed', () => {
    verifies('tasks.inbox');
    const first = register();
    expect(first).toMatchObject({
      ok: true,
      endpoint_ref: expect.stringMatching(/^bep_[0-9a-f]{32}$/),
      device_id: 'dev_x',
    });
    state.close();
    open();
    expect(register('a', '1.2.0').endpoint_ref).toBe(first.endpoint_ref);
    expect(register('b').endpoint_ref).not.toBe(first.endpoint_ref);
    expect(dump()).not.toContain('a'.repeat(64));
  });

  it('gives nothing away by itself, and changes the consent only from the revision that the person saw', () => {
    const { endpoint_ref, consent, consent_revision } = register();
    expect(consent).toEqual({ webchat_control: false, tool_bridge: false, tool_bridge_workstation_mutation: false });
    const given = { ...(consent as object), webchat_control: true };
    const set = (expected_revision: unknown) =>
      send('endpoint.consent', { endpoint_ref, expected_revision, consent: given });
    expect(set(consent_revision)).toMatchObject({ ok: true, consent: given, consent_revision: 1 });
    expect(set(consent_revision)).toMatchObject({
      ok: false,
      code: 'browser_consent_revision_conflict',
      consent: given,
    });
    expect(register()).toMatchObject({ consent: given, consent_revision: 1 });
  });

  it('counts a new generation whenever what the browser can do has changed, and refuses what was planned before', () => {
    const { endpoint_ref, expected_generation, observe } = signedIn();
    expect(provide(endpoint_ref).observation_generation).toBe(expected_generation);
    now -= 500_000; // a clock that was put back makes no old generation
    const next = Number(provide(endpoint_ref, ['composer.submit', 'generation.stop']).observation_generation);
    expect(next).toBe(expected_generation + 1);
    expect(observe('account', 'user-1')).toMatchObject({
      ok: false,
      code: 'stale_capability_generation',
      observation_generation: next,
    });
    expect(provide(`bep_${'0'.repeat(32)}`)).toMatchObject({ ok: false, code: 'browser_endpoint_not_found' });
  });

  it('yields one session ref for one conversation, in its account or its project, and none out of scope', () => {
    verifies('tasks.inbox');
    const { observe, account } = signedIn();
    const url = 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000001';
    const session = observe('session', 'conv-1', { parent_ref: account, canonical_url: `${url}?model=x` });
    expect(session).toMatchObject({ ok: true, kind: 'session', browser_session_ref: session.resource_ref });
    expect(session.resource_ref).toMatch(/^br_[0-9a-f]{64}$/);
    expect(observe('session', 'conv-1', { parent_ref: account }).resource_ref).toBe(session.resource_ref);
    const space = observe('space', 'g-p-1', { parent_ref: account });
    expect(space.browser_session_ref).toBeUndefined();
    const inside = observe('session', 'conv-2', { parent_ref: space.resource_ref });
    expect(inside).toMatchObject({ ok: true });
    expect(dump()).not.toContain('conv-1');
    const refused = { ok: false, code: 'browser_resource_scope_mismatch' };
    expect(observe('session', 'conv-3')).toMatchObject(refused);
    expect(observe('account', 'user-2', { parent_ref: account })).toMatchObject(refused);
    expect(observe('session', 'conv-3', { parent_ref: session.resource_ref })).toMatchObject(refused);
    const other = signedIn('b');
    expect(other.observe('session', 'conv-3', { parent_ref: account })).toMatchObject(refused);
    expect(observe('session', 'conv-3', { parent_ref: `br_${'0'.repeat(64)}` })).toMatchObject({
      code: 'browser_resource_not_found',
    });
  });

  it('keeps accounts apart, gives to an account what was seen before it was known, and keeps no name of one', () => {
    verifies('bridge.accounts');
    const { observe, account: first } = signedIn();
    const nobody = observe('account', NO_ACCOUNT).resource_ref;
    const chat = (parent_ref: unknown, native = 'conv-1') => observe('session', native, { parent_ref }).resource_ref;
    const project = (parent_ref: unknown) => observe('space', 'g-p-1', { parent_ref }).resource_ref;
    const seen = { chat: chat(nobody), project: project(nobody) };
    const inside = chat(seen.project, 'conv-2');
    // Whose it is has become known: it is the same chat and the same Project.
    expect({ chat: chat(first), project: project(first) }).toEqual(seen);
    expect(chat(project(first), 'conv-2')).toBe(inside);
    // Not known for a moment: it stays whose it is.
    expect({ chat: chat(nobody), project: project(nobody) }).toEqual(seen);
    const second = observe('account', 'user-2', { display_label: 'somebody@example.com' }).resource_ref;
    expect(second).not.toBe(first);
    const others = { chat: chat(second), project: project(second) };
    expect(others.chat).not.toBe(seen.chat);
    expect(others.project).not.toBe(seen.project);
    // Now it may be either one's, and is given to neither.
    expect([seen.chat, others.chat]).not.toContain(chat(nobody));
    expect(chat(first)).toBe(seen.chat);
    expect(chat(second)).toBe(others.chat);
    const parents = new Map(
      (
        state.database.prepare('SELECT resource_ref, parent_ref FROM browser_resources').all() as Record<
          string,
          string
        >[]
      ).map((row) => [row.resource_ref, row.parent_ref]),
    );
    expect([parents.get(String(seen.chat)), parents.get(String(others.chat))]).toEqual([first, second]);
    expect(dump()).not.toMatch(/user-[12]|somebody|example/);
  });

  it('keeps the newest user turn of a conversation: nothing older, and none that has ended begins again', () => {
    const { observe, account, expected_generation } = signedIn();
    const { resource_ref: session_ref } = observe('session', 'conv-1', { parent_ref: account });
    const turn = (turn_id: string, in_progress: boolean, started_at: number, observed_at: number) =>
      send('source_turn.observe', {
        session_ref,
        expected_generation,
        turn_id,
        in_progress,
        started_at,
        observed_at,
      }).accepted;
    expect(turn('t1', true, 100, 110)).toBe(true);
    expect(turn('t1', true, 100, 105)).toBe(false);
    expect(turn('t0', true, 50, 120)).toBe(false);
    expect(turn('t1', false, 100, 130)).toBe(true);
    expect(turn('t1', true, 100, 140)).toBe(false);
    expect(turn('t2', true, 150, 150)).toBe(true);
    expect(turn('t9', true, now + 5_000, now + 9_000)).toBe(true); // a time to come counts as now
    const source = { expected_generation, turn_id: 't', in_progress: true, started_at: 1, observed_at: 1 };
    expect(send('source_turn.observe', { ...source, session_ref: account })).toMatchObject({
      code: 'browser_resource_not_found',
    });
  });

  it.each([
    ['no operation', {}],
    ['an unknown operation', { operation: 'endpoint.forget' }],
    [
      'a selector',
      {
        operation: 'endpoint.register',
        profile_seed: 'a'.repeat(64),
        browser_family: 'c',
        extension_version: '1',
        selector: '#x',
      },
    ],
    [
      'a short seed',
      { operation: 'endpoint.register', profile_seed: 'a', browser_family: 'c', extension_version: '1' },
    ],
    ['nothing', undefined],
  ])('takes no %s', (_, body) => {
    expect(browser.handle(body)).toBeUndefined();
  });

  it('says that it recorded nothing when the store is gone', () => {
    state.database.exec('DROP TABLE browser_endpoints');
    expect(register()).toMatchObject({ ok: false, code: 'browser_store_unavailable' });
  });
});

/** Everything that stands in the registry's tables. */
function dump(): string {
  const tables = ['browser_endpoints', 'browser_provider_state', 'browser_resources', 'browser_source_turns'];
  return JSON.stringify(tables.map((name) => state.database.prepare(`SELECT * FROM ${name}`).all()));
}
