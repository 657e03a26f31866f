/** Two browsers claim the wake of one chat, over the real socket and over a clock of the test's own. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXTENSION_ROUTE } from '../../../contract/extension/index.ts';
import { type Browser, openBrowser } from '../../../runtime-a-b/browser/index.ts';
import { WAKE_CLAIM_MS, WAKE_LEAVE_MS, WAKE_TTL_MS } from '../../../runtime-a-b/browser/limits.ts';
import { openState, type State } from '../../../runtime-a-b/state/index.ts';
import { OWED_MS } from '../../../runtime-a-b/tasks/limits.ts';
import { isOwed } from '../../../runtime-a-b/tasks/owed.ts';
import { agentTasks } from '../../../runtime-a-b/tasks/schema.ts';
import { verifies } from '../../verifies.ts';
import { ask, socketOf } from '../http/extension/client.ts';
import { silent, type TestRuntime, tempFolder, testRuntime } from '../support/index.ts';

const CHAT = 'https://chatgpt.com/c/11111111-aaaa';
const REGISTER = { operation: 'endpoint.register', browser_family: 'chromium', extension_version: '1.0.0' };

let folder: ReturnType<typeof tempFolder>;
let state: State;
let browser: Browser;
let now: number;
let one: string;
let two: string;

const open = () => {
  state = openState(`${folder.path}/state`);
  let made = 0;
  const random = (bytes: number) => new Uint8Array(bytes).fill(++made);
  const owes = (sessions: readonly string[], panes: readonly string[]) => isOwed(state, sessions, panes, now - OWED_MS);
  browser = openBrowser({ state, deviceId: 'dev_x', nowMs: () => now, random, log: silent, owes });
};
const send = (body: object) => ({ ...browser.handle(body) }) as Record<string, unknown>;
const register = (seed: string) => String(send({ ...REGISTER, profile_seed: seed.repeat(64) }).endpoint_ref);
const wake = (operation: string, endpoint_ref: string, keys: string[] = ['s/w1/p1@2'], more: object = {}) =>
  send({
    operation: `wake.${operation}`,
    endpoint_ref,
    conversation: CHAT,
    keys,
    ...(operation === 'claim' ? { panes: ['p1'] } : {}),
    ...more,
  }).wake;
const done = (endpoint: string, outcome: string, keys?: string[]) => wake('done', endpoint, keys, { outcome });

beforeEach(() => {
  folder = tempFolder();
  now = 1_764_500_000_000;
  open();
  [one, two] = [register('a'), register('b')];
});
afterEach(() => {
  state.close();
  folder.remove();
});

describe('the wake of one settle', () => {
  it('is one browser’s, and told once, also to a runtime that has started anew', () => {
    verifies('extension.two-browsers');
    expect(wake('claim', one)).toBe('yours');
    expect(wake('claim', two)).toBe('held');
    expect(wake('leave', two)).toBe('held');
    expect(wake('claim', one)).toBe('yours');
    expect(wake('leave', one)).toBe('yours');
    done(one, 'sent');
    state.close();
    open();
    expect(wake('claim', two)).toBe('sent');
    expect(wake('leave', two)).toBe('sent');
    now += WAKE_TTL_MS - 1;
    expect(wake('claim', two)).toBe('sent');
  });

  it('lapses with a browser that died before Send, and is free when nothing was sent', () => {
    verifies('extension.two-browsers');
    wake('claim', one);
    now += WAKE_CLAIM_MS;
    expect(wake('claim', two)).toBe('yours');
    // The first one is back, late: it is not allowed to press Send.
    expect(wake('leave', one)).toBe('held');
    done(two, 'unsent');
    expect(wake('leave', one)).toBe('yours');
  });

  it('never lapses once it may have been sent', () => {
    verifies('extension.two-browsers');
    wake('claim', one);
    wake('leave', one);
    expect(wake('claim', two)).toBe('held');
    now += WAKE_LEAVE_MS;
    expect(wake('claim', two)).toBe('uncertain');
    done(two, 'sent');
    expect(wake('claim', two)).toBe('uncertain');
    done(one, 'sent');
    expect(wake('claim', two)).toBe('sent');
  });

  it('is another one’s in another chat, and a new settle beside one that was told may be told', () => {
    wake('claim', one);
    expect(wake('claim', two, undefined, { conversation: `${CHAT}-b` })).toBe('yours');
    wake('leave', one);
    done(one, 'sent');
    expect(wake('claim', two, ['s/w1/p1@2', 's/w1/p2@7'])).toBe('yours');
    expect(wake('claim', one, ['s/w1/p2@7'])).toBe('held');
    done(two, 'sent', ['s/w1/p2@7']);
    expect(wake('claim', one, ['s/w1/p2@7'])).toBe('sent');
  });

  it('waits for the browser that has the tasks of these panes to tell, and not for ever', () => {
    verifies('extension.two-browsers');
    const seen = (endpoint_ref: string) => {
      const { observation_generation: expected_generation } = send({
        operation: 'provider.observe',
        endpoint_ref,
        provider: 'chatgpt',
        adapter_protocol_version: 1,
        capabilities: [],
      });
      const known = { operation: 'resource.observe', endpoint_ref, provider: 'chatgpt', expected_generation };
      const account = send({ ...known, kind: 'account', native_identity: 'anonymous' }).resource_ref;
      const chat = { kind: 'session', native_identity: CHAT, canonical_url: CHAT, parent_ref: account };
      return String(send({ ...known, ...chat }).resource_ref);
    };
    task(seen(one), now);
    expect(wake('claim', two)).toBe('held');
    // Other panes are not spoken of, and the one whose inbox it is waits for nobody.
    expect(wake('claim', two, ['s/w1/p9@2'], { panes: ['p9'] })).toBe('yours');
    expect(wake('claim', one, ['s/w1/p1@2', 'task:t1'], { panes: [] })).toBe('yours');
    done(one, 'unsent', ['s/w1/p1@2', 'task:t1']);
    now += OWED_MS;
    expect(wake('claim', two)).toBe('yours');
  });

  it('of what is done again is every browser’s when its time has come, and keeps to no pace but its own in the same one', () => {
    verifies('extension.two-browsers');
    const PACE = { again_ms: 1_200_000 };
    const round = ['progress:s/w1/term_1@4'];
    const claim = (endpoint: string) => wake('claim', endpoint, round, { panes: [], ...PACE });
    expect(claim(one)).toBe('yours');
    expect(claim(two)).toBe('held');
    expect(wake('leave', one, round, PACE)).toBe('yours');
    done(one, 'sent', round);
    expect(claim(two)).toBe('sent');
    now += PACE.again_ms - 1;
    expect(claim(two)).toBe('sent');
    // Its own record says when; that it has told it before is no reason against it.
    expect(claim(one)).toBe('yours');
    done(one, 'unsent', round);
    expect(claim(two)).toBe('yours');
    done(two, 'sent', round);
    now += PACE.again_ms - 1;
    expect([claim(one), wake('leave', one, round, PACE)]).toEqual(['sent', 'sent']);
    now += 1;
    expect(claim(one)).toBe('yours');
    expect(claim(two)).toBe('held');
  });

  it('that may have been told is a person’s to tell once more, in any browser, and then it was told', () => {
    verifies('extension.two-browsers');
    const BY_PERSON = { by_person: true };
    wake('claim', one);
    wake('leave', one);
    // A browser that is about to send is waited for, whoever presses.
    expect(wake('claim', two, undefined, BY_PERSON)).toBe('held');
    done(one, 'uncertain');
    expect(wake('claim', two)).toBe('uncertain');
    expect(wake('claim', two, undefined, BY_PERSON)).toBe('yours');
    expect(wake('leave', two, undefined, BY_PERSON)).toBe('yours');
    done(two, 'sent');
    expect(wake('claim', one, undefined, BY_PERSON)).toBe('sent');
    // What its first browser says late is about a message that is another one's by now.
    done(one, 'unsent');
    expect(wake('claim', one)).toBe('sent');
  });

  it('is the same to both generations of the runtime', () => {
    verifies('extension.two-browsers');
    const other = openState(`${folder.path}/state`);
    const { handle } = openBrowser({
      ...{ state: other, deviceId: 'dev_x', nowMs: () => now, log: silent },
      random: (bytes: number) => new Uint8Array(bytes),
    });
    const elsewhere = (operation: string, endpoint_ref: string, keys: string[], more: object = {}) => {
      const asked = { operation: `wake.${operation}`, endpoint_ref, conversation: CHAT, keys, ...more };
      return ({ ...handle(asked) } as Record<string, unknown>).wake;
    };
    try {
      const turn = ['turn:a1'];
      expect(wake('claim', one, turn, { panes: [] })).toBe('yours');
      expect(elsewhere('claim', two, turn, { panes: [] })).toBe('held');
      expect(elsewhere('leave', one, turn)).toBe('yours');
      expect(elsewhere('done', one, turn, { outcome: 'sent' })).toBe('yours');
      expect(wake('claim', two, turn, { panes: [] })).toBe('sent');
    } finally {
      other.close();
    }
  });

  it('of a handoff is left at once, is in doubt when its browser falls silent, and is free when it came to nothing', () => {
    verifies('extension.two-browsers');
    const chain = ['handoff:hc:1:abcdefgh'];
    const AGAIN = { again_ms: WAKE_TTL_MS };
    expect(wake('leave', one, chain, AGAIN)).toBe('yours');
    expect(wake('leave', two, chain, AGAIN)).toBe('held');
    now += WAKE_LEAVE_MS;
    expect(wake('leave', two, chain, AGAIN)).toBe('uncertain');
    // The one that has it goes on asking for the same.
    expect(wake('leave', one, chain, AGAIN)).toBe('yours');
    done(one, 'unsent', chain);
    expect(wake('leave', two, chain, AGAIN)).toBe('yours');
    done(two, 'sent', chain);
    state.close();
    open();
    expect(wake('leave', one, chain, AGAIN)).toBe('sent');
    expect(wake('leave', two, chain, AGAIN)).toBe('yours');
  });

  it('is given to no browser that is not registered', () => {
    const refused = { operation: 'wake.claim', endpoint_ref: `bep_${'0'.repeat(32)}`, conversation: CHAT };
    expect(send({ ...refused, keys: ['k'], panes: [] })).toMatchObject({
      ok: false,
      code: 'browser_endpoint_not_found',
    });
  });
});

/** A task in pane p1 that has ended and belongs to that conversation. */
function task(parentSessionRef: string, terminalAt: number): void {
  const row = { deviceId: 'dev_x', principalKind: 'local', principalId: 'x', target: 'pi', serverKey: 's' };
  const child = { terminalId: 't', paneId: 'p1', workspaceId: 'w1', lifecycle: 'completed', reason: 'settled' };
  const told = { parentKind: 'session', parentSessionRef, terminalAt, createdAt: terminalAt, updatedAt: terminalAt };
  const ids = { taskId: 't1', turnId: 'n1', bootId: 'b1', baselineStatus: 'idle' };
  state.orm
    .insert(agentTasks)
    .values({ ...row, ...child, ...told, ...ids })
    .run();
}

describe('over the extension’s socket', () => {
  let rt: TestRuntime;
  beforeAll(async () => {
    rt = await testRuntime();
  });
  afterAll(() => rt?.end());
  const CLAIM = { operation: 'wake.claim', conversation: CHAT, keys: ['s/w1/p1@2'], panes: ['p1'] };
  const post = (body: object) =>
    ask(socketOf(rt.stateDir), EXTENSION_ROUTE.registry, { method: 'POST', body: JSON.stringify(body) });

  it('one of two that ask at once has it', async () => {
    verifies('extension.two-browsers');
    const both = await Promise.all(['a', 'b'].map((seed) => post({ ...REGISTER, profile_seed: seed.repeat(64) })));
    const asked = both.map(({ body }) => post({ ...CLAIM, endpoint_ref: body.endpoint_ref }));
    const said = (await Promise.all(asked)).map(({ status, body }) => [status, body.wake]);
    expect(said.sort()).toEqual([
      [200, 'held'],
      [200, 'yours'],
    ]);
    expect((await post({ ...CLAIM, keys: [] })).status).toBe(400);
    const [first] = both.map(({ body }) => body.endpoint_ref);
    const again = { ...CLAIM, endpoint_ref: first, conversation: `${CHAT}-b`, again_ms: 1_000, by_person: true };
    expect((await post(again)).body.wake).toBe('yours');
    for (const wrong of [{ again_ms: -1 }, { by_person: false }])
      expect((await post({ ...again, ...wrong })).status).toBe(400);
  });
});
