/** Prompts to agents, and what is said of the turn that follows. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { hasStatus, noteTurnIdentity, startAgent, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

describe('prompting', () => {
  it('submits, follows the screen from working to settled, and says which', async () => {
    verifies('embedded.agents');
    const pane = await herdr.open('prompt');
    const before = await startAgent(herdr, pane, 'prompted');
    const status = await herdr.subscribe([{ type: 'pane.agent_status_changed', pane_id: pane.pane_id }]);
    const { agent } = await herdr.call('agent.prompt', {
      target: 'prompted',
      text: 'what is left',
      wait: { until: ['idle', 'done', 'blocked'], timeout_ms: 40_000 },
    });
    noteTurnIdentity(agent);
    expect(['idle', 'done']).toContain(agent.agent_status);
    expect(agent.state_change_seq ?? 0).toBeGreaterThanOrEqual((before.state_change_seq ?? 0) + 2);
    expect(await herdr.screen(pane.pane_id)).toContain('answered: what is left');
    await status.event('pane.agent_status_changed', (data) => data['agent_status'] === 'working');
    await status.event('pane.agent_status_changed', (data) => ['idle', 'done'].includes(String(data['agent_status'])));
    // Without a filter nothing is sent at the beginning: the first event is the change.
    expect(status.events[0]?.data['agent_status']).toBe('working');
    status.close();
  });

  it('without a wait answers before the turn, and the turn follows', async () => {
    const pane = await herdr.open('no-wait');
    await startAgent(herdr, pane, 'unwaited');
    const { agent } = await herdr.call('agent.prompt', { target: pane.pane_id, text: 'go on' });
    expect(agent.agent_status).toBe('idle');
    await hasStatus(herdr, 'unwaited', ['working']);
    await hasStatus(herdr, 'unwaited', ['idle', 'done']);
    expect(await herdr.screen(pane.pane_id)).toContain('answered: go on');
  });

  it('keeps two prompts apart that come at the same moment', async ({ skip }) => {
    if (theirs(herdr, 'prompts-in-turn')) skip();
    const pane = await herdr.open('two-prompts', { env: { PI_WORK_S: '0' } });
    await startAgent(herdr, pane, 'twice');
    await Promise.all(['first', 'second'].map((text) => herdr.call('agent.prompt', { target: 'twice', text })));
    await until('both answered', async () => {
      const text = (await herdr.call('pane.read', { pane_id: pane.pane_id, source: 'recent', lines: 200 })).read.text;
      return /answered: (first|second)\n/.test(text) && !text.includes('firstsecond');
    });
  });

  it('says that it stalled when nothing changes, or timeout when the caller waits no longer than that', async () => {
    const pane = await herdr.open('stalled');
    await startAgent(herdr, pane, 'deaf-one');
    const prompt = (wait: object) => herdr.refusal('agent.prompt', { target: 'deaf-one', text: 'deaf', wait });
    expect(await prompt({ timeout_ms: 1_000 })).toBe('timeout');
    expect(await prompt({ timeout_ms: 30_000 })).toBe('agent_prompt_stalled');
  });

  it('refuses nothing, nobody, and an agent that is not in front', async () => {
    verifies('embedded.refusals');
    const pane = await herdr.open('refuse-prompt');
    expect(await herdr.refusal('agent.prompt', { target: 'nobody', text: 'x' })).toBe('agent_not_found');
    expect(await herdr.refusal('agent.prompt', { target: pane.pane_id, text: 'x' })).toBe('agent_not_found');
    await startAgent(herdr, pane, 'empty');
    expect(await herdr.refusal('agent.prompt', { target: 'empty', text: '' })).toBe('empty_agent_prompt');
    expect(await herdr.refusal('agent.prompt', { target: 'pi', text: 'x' })).toBe('agent_not_found');
    const custom = await herdr.open('custom-prompt');
    await herdr.call('pane.report_agent', {
      pane_id: custom.pane_id,
      source: 'custom:test',
      agent: 'homemade',
      state: 'idle',
    });
    await hasStatus(herdr, custom.pane_id, ['idle']);
    expect(await herdr.refusal('agent.prompt', { target: custom.pane_id, text: 'x' })).toBe('agent_not_ready');
    expect(await herdr.refusal('agent.send_keys', { target: custom.pane_id, keys: ['enter'] })).toBe('agent_not_ready');
  });

  it('counts an exit as the final status, and a closed pane as lost', async () => {
    const pane = await herdr.open('exits');
    await startAgent(herdr, pane, 'leaver');
    const { agent } = await herdr.call('agent.prompt', {
      target: 'leaver',
      text: 'quit',
      wait: { until: ['idle', 'done'], timeout_ms: 40_000 },
    });
    expect(['idle', 'done']).toContain(agent.agent_status);
    await until('the name gone', async () => {
      const { agents } = await herdr.call('agent.list', {});
      return !agents.some((candidate) => candidate.pane_id === pane.pane_id);
    });
    const second = await herdr.open('closes');
    await startAgent(herdr, second, 'closed');
    const waiting = herdr.refusal('agent.prompt', { target: 'closed', text: 'deaf', wait: { until: ['blocked'] } });
    await until('the text typed', async () => (await herdr.screen(second.pane_id)).includes('deaf'));
    await herdr.call('pane.close', { pane_id: second.pane_id });
    expect(await waiting).toBe('agent_not_running');
  });
});
