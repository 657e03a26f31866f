import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { hasStatus, startAgent, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

const statusOf = async (pane_id: string) => (await herdr.call('pane.get', { pane_id })).pane.agent_status;
const report = (pane_id: string, state: 'idle' | 'working' | 'blocked' | 'unknown', more: object = {}) =>
  herdr.send('pane.report_agent', { pane_id, source: 'custom:test', agent: 'homemade', state, ...more });

describe('a report of a hook', () => {
  it('of a custom source makes an agent and sets its state, until it is released', async () => {
    verifies('embedded.agents');
    const { pane_id } = await herdr.open('custom');
    const events = await herdr.subscribe([{ type: 'pane.agent_detected' }]);
    await report(pane_id, 'working');
    expect((await hasStatus(herdr, pane_id, ['working'])).agent).toBe('homemade');
    await events.event('pane_agent_detected', (data) => data['pane_id'] === pane_id && data['agent'] === 'homemade');
    await report(pane_id, 'blocked');
    expect(await statusOf(pane_id)).toBe('blocked');
    await herdr.call('pane.release_agent', { pane_id, source: 'custom:test', agent: 'homemade' });
    await until('no agent', async () => (await statusOf(pane_id)) === 'unknown');
    events.close();
  });

  it('can come from inside a pane, where it overrules the screen of the agent that runs', async () => {
    const pane = await herdr.open('inside');
    await startAgent(herdr, pane, 'reported');
    const { pane_id } = pane;
    await herdr.call('pane.report_agent', { pane_id, source: 'custom:test', agent: 'pi', state: 'working' });
    await hasStatus(herdr, 'reported', ['working']);
    await herdr.call('pane.clear_agent_authority', { pane_id, source: 'custom:test' });
    await hasStatus(herdr, 'reported', ['idle', 'done']);
  });

  it('is accepted and dropped when it may not be believed', async () => {
    const pane = await herdr.open('dropped');
    await startAgent(herdr, pane, 'real-pi');
    const { pane_id } = pane;
    // Another known agent than the one whose process runs; a source that owns only the session's identity.
    expect(await report(pane_id, 'blocked', { agent: 'codex' })).toEqual({ type: 'ok' });
    expect(await report(pane_id, 'blocked', { source: 'herdr:claude', agent: 'claude' })).toEqual({ type: 'ok' });
    expect(await statusOf(pane_id)).toBe('idle');
    const empty = await herdr.open('no-process');
    expect(await report(empty.pane_id, 'working', { source: 'herdr:pi', agent: 'pi' })).toEqual({ type: 'ok' });
    expect(await statusOf(empty.pane_id)).toBe(theirs(herdr, 'reports-without-process') ? 'working' : 'unknown');
  });

  it('of the agent’s own integration is the only authority while its process runs', async () => {
    const pane = await herdr.open('exclusive');
    await startAgent(herdr, pane, 'owned');
    const { pane_id } = pane;
    const integration = { pane_id, source: 'herdr:pi', agent: 'pi', agent_session_id: 'session-7' };
    // An integration names its session first; a real Herdr believes its states only then.
    await herdr.call('pane.report_agent_session', { ...integration, session_start_source: 'startup', seq: 1 });
    await herdr.call('pane.report_agent', { ...integration, state: 'blocked', seq: 2 });
    const agent = await hasStatus(herdr, 'owned', ['blocked']);
    expect(agent.screen_detection_skipped).toBe(true);
    expect(agent.agent_session).toEqual({ source: 'herdr:pi', agent: 'pi', kind: 'id', value: 'session-7' });
  });

  it('under a label of its own stands in for the agent that runs inside, until it is cleared', async () => {
    const pane = await herdr.open('wrapper');
    await startAgent(herdr, pane, 'wrapped');
    const { pane_id } = pane;
    await report(pane_id, 'blocked');
    const agent = await hasStatus(herdr, pane_id, ['blocked']);
    expect(agent.agent).toBe('homemade');
    await herdr.call('pane.clear_agent_authority', { pane_id });
    await until('the agent inside', async () => (await herdr.call('pane.get', { pane_id })).pane.agent === 'pi');
  });

  it('is old when its number is, and when a source that numbers leaves the number out', async () => {
    const { pane_id } = await herdr.open('numbered');
    await report(pane_id, 'working', { seq: 5 });
    await report(pane_id, 'blocked', { seq: 5 });
    await report(pane_id, 'idle');
    expect(await statusOf(pane_id)).toBe('working');
    await report(pane_id, 'blocked', { seq: 6 });
    expect(await statusOf(pane_id)).toBe('blocked');
  });

  it('is refused without an agent', async () => {
    verifies('embedded.refusals');
    const { pane_id } = await herdr.open('blank');
    const blank = { pane_id, source: 'custom:test', agent: ' ' };
    expect(await herdr.refusal('pane.report_agent', { ...blank, state: 'idle' })).toBe('invalid_agent');
    expect(await herdr.refusal('pane.report_agent_session', blank)).toBe('invalid_agent');
    expect(await herdr.refusal('pane.release_agent', blank)).toBe('invalid_agent');
  });
});

describe('metadata', () => {
  it('is shown, told to who watches the pane, and moves the revision only for tokens', async () => {
    const { pane_id } = await herdr.open('metadata');
    await report(pane_id, 'working');
    const events = await herdr.subscribe([{ type: 'pane.agent_status_changed', pane_id }]);
    const before = (await herdr.call('pane.get', { pane_id })).pane.revision;
    await herdr.call('pane.report_metadata', {
      pane_id,
      source: 'custom:test',
      title: 'Fixing',
      display_agent: 'Homer',
    });
    const told = await events.event('pane.agent_status_changed', (data) => data['title'] === 'Fixing');
    expect(told.data).toMatchObject({ agent_status: 'working', display_agent: 'Homer' });
    expect((await herdr.call('pane.get', { pane_id })).pane).toMatchObject({ title: 'Fixing', revision: before });
    await herdr.call('pane.report_metadata', {
      pane_id,
      source: 'custom:test',
      tokens: { cost: '3', 'left-over': 'x' },
    });
    await herdr.call('pane.report_metadata', {
      pane_id,
      source: 'custom:test',
      tokens: { 'left-over': null },
      clear_title: true,
    });
    const { pane } = await herdr.call('pane.get', { pane_id });
    expect(pane.tokens).toEqual({ cost: '3' });
    expect(pane.title).toBeUndefined();
    expect(pane.revision).toBeGreaterThan(before);
    events.close();
  });

  it('goes after its time', async () => {
    const { pane_id } = await herdr.open('ttl');
    await report(pane_id, 'working');
    await herdr.call('pane.report_metadata', { pane_id, source: 'custom:test', title: 'brief', ttl_ms: 200 });
    await until('the title gone', async () => (await herdr.call('pane.get', { pane_id })).pane.title === undefined);
  });

  it('is refused by name when it cannot be', async () => {
    verifies('embedded.refusals');
    const { pane_id, workspace_id } = await herdr.open('bad-metadata');
    const give = (more: object) => herdr.refusal('pane.report_metadata', { pane_id, source: 'custom:test', ...more });
    const tokens = (count: number) => Object.fromEntries(Array.from({ length: count }, (_unused, i) => [`t${i}`, 'x']));
    expect(await give({ source: ' ' })).toBe('invalid_metadata_source');
    expect(await give({ tokens: { 'no good': 'x' } })).toBe('invalid_metadata_token');
    expect(await give({ tokens: tokens(17) })).toBe('invalid_metadata_token');
    await herdr.call('pane.report_metadata', { pane_id, source: 'custom:test', tokens: tokens(16) });
    const more = Object.fromEntries(Object.keys(tokens(16)).map((name) => [`more-${name}`, 'x']));
    await herdr.call('pane.report_metadata', { pane_id, source: 'custom:test', tokens: more });
    expect(await give({ tokens: { onemore: 'x' } })).toBe('metadata_token_limit');
    expect(await give({ title: 'x', ttl_ms: 86_400_001 })).toBe('invalid_metadata_ttl');
    expect(await give({ state_labels: { sleeping: 'zzz' } })).toBe('invalid_state_label');
    const workspace = (more: object) =>
      herdr.refusal('workspace.report_metadata', { workspace_id, source: 'custom:test', tokens: {}, ...more });
    expect(await workspace({ tokens: { 'no good': 'x' } })).toBe('invalid_metadata_token');
    expect(await workspace({ ttl_ms: 0 })).toBe('invalid_metadata_ttl');
  });

  it('of a workspace is shown there and announced', async () => {
    const { workspace_id } = await herdr.open('workspace-tokens');
    const events = await herdr.subscribe([{ type: 'workspace.metadata_updated' }]);
    await herdr.call('workspace.report_metadata', { workspace_id, source: 'custom:test', tokens: { ci: 'green' } });
    await events.event('workspace_metadata_updated', (data) => JSON.stringify(data).includes('"ci":"green"'));
    expect((await herdr.call('workspace.get', { workspace_id })).workspace.tokens).toEqual({ ci: 'green' });
    events.close();
  });
});
