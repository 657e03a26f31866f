/** Agents: recognised, started, their questions, what was seen of them, waiting, names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { hasStatus, Refused, startAgent, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

const type = (pane_id: string, text: string) => herdr.call('pane.send_input', { pane_id, text, keys: ['enter'] });

describe('recognition', () => {
  it('knows a script named pi by its process, says so, and forgets it when it ends', async () => {
    verifies('embedded.agents');
    const { pane_id, workspace_id } = await herdr.open('by-name');
    const events = await herdr.subscribe([{ type: 'pane.agent_detected' }]);
    await type(pane_id, 'pi');
    const agent = await hasStatus(herdr, pane_id, ['idle']);
    expect(agent).toMatchObject({ agent: 'pi', pane_id, workspace_id });
    expect(agent.interactive_ready).toBeUndefined();
    const here = (data: Record<string, unknown>) => data['pane_id'] === pane_id;
    await events.event('pane_agent_detected', (data) => here(data) && data['agent'] === 'pi' && !data['released']);
    await type(pane_id, 'quit');
    const released = await events.event('pane_agent_detected', (data) => here(data) && data['released'] === true);
    expect(released.data).toMatchObject({ agent: 'pi', final_status: 'idle' });
    await until('the pane without an agent', async () => {
      const { pane } = await herdr.call('pane.get', { pane_id });
      return pane.agent_status === 'unknown' && pane.agent === undefined;
    });
    expect(await herdr.refusal('agent.get', { target: pane_id })).toBe('agent_not_found');
    events.close();
  });

  it('knows the script behind a runtime, and a hint in the environment', async () => {
    const { pane_id } = await herdr.open('behind');
    mkdirSync(join(herdr.work, 'bin'));
    writeFileSync(join(herdr.work, 'bin', 'pi'), 'echo up; cat\n');
    await type(pane_id, 'sh bin/pi');
    expect((await hasStatus(herdr, pane_id, ['idle'])).agent).toBe('pi');
    await herdr.call('pane.send_keys', { pane_id, keys: ['ctrl+c'] });
    await until('no agent', async () => (await herdr.call('pane.get', { pane_id })).pane.agent === undefined);
    await type(pane_id, 'HERDR_AGENT=codex sleep 600');
    expect((await hasStatus(herdr, pane_id, ['idle'])).agent).toBe('codex');
    await herdr.call('pane.close', { pane_id });
  });

  it('takes no other program for an agent', async () => {
    const { pane_id } = await herdr.open('no-agent');
    await herdr.run(pane_id, "echo Working...; sh -c 'sleep 1; echo pi; sleep 1; echo over'", 'over\n');
    expect((await herdr.call('pane.get', { pane_id })).pane.agent).toBeUndefined();
    expect((await herdr.call('agent.list', {})).agents.some((agent) => agent.pane_id === pane_id)).toBe(false);
  });
});

describe('starting', () => {
  it('types into an idle shell, answers with the start pending, and is ready after the grace', async () => {
    verifies('embedded.agents');
    const pane = await herdr.open('start');
    const started = await until('a start', async () => {
      try {
        return await herdr.call('agent.start', {
          name: 'night-1',
          kind: 'pi',
          pane_id: pane.pane_id,
          args: ['--x', "it's"],
        });
      } catch {
        return undefined;
      }
    });
    expect(started.argv).toEqual(['pi', '--x', "it's"]);
    expect(started.agent).toMatchObject({ name: 'night-1', launch_pending: true, pane_id: pane.pane_id });
    expect(await herdr.refusal('agent.prompt', { target: 'night-1', text: 'too early' })).toBe('agent_not_ready');
    expect(await herdr.refusal('agent.rename', { target: 'night-1', name: 'other' })).toBe('agent_launch_pending');
    const ready = await until('ready', async () => {
      const { agent } = await herdr.call('agent.get', { target: 'night-1' });
      return agent.interactive_ready ? agent : undefined;
    });
    expect(ready).toMatchObject({ agent: 'pi', name: 'night-1', agent_status: 'idle' });
    expect(ready.launch_pending).toBeUndefined();
    expect(await herdr.refusal('agent.start', { name: 'second', kind: 'pi', pane_id: pane.pane_id })).toBe(
      'agent_pane_busy',
    );
    const other = await herdr.open('start-2');
    expect(await herdr.refusal('agent.start', { name: 'night-1', kind: 'pi', pane_id: other.pane_id })).toBe(
      'agent_name_taken',
    );
  });

  it('refuses what cannot be started, and types nothing', async () => {
    verifies('embedded.refusals');
    const { pane_id } = await herdr.open('refused');
    const start = (more: object) => herdr.refusal('agent.start', { name: 'a', kind: 'pi', pane_id, ...more });
    expect(await start({ name: 'Bad Name' })).toBe('invalid_agent_name');
    expect(await start({ kind: 'clippy' })).toBe('unsupported_agent_kind');
    expect(await start({ args: ['a\nb'] })).toBe('invalid_agent_argument');
    expect(await start({ timeout_ms: 3_000 })).toBe('invalid_agent_timeout');
    expect(await start({ timeout_ms: 300_001 })).toBe('invalid_agent_timeout');
    expect(await start({ pane_id: 'w9:p9' })).toBe('agent_pane_not_found');
    await type(pane_id, 'sleep 600');
    await until('a busy shell', async () => {
      const { process_info } = await herdr.call('pane.process_info', { pane_id });
      return process_info.foreground_processes?.some((process) => process.name === 'sleep');
    });
    expect(await start({})).toBe('agent_pane_busy');
    expect(await herdr.screen(pane_id)).not.toContain('pi');
  });

  it('gives the name up when the agent never appears', async () => {
    const { pane_id } = await herdr.open('never');
    await until('a start', async () => {
      try {
        // No such program on the PATH of these tests.
        return await herdr.call('agent.start', { name: 'ghost', kind: 'maki', pane_id, timeout_ms: 3_500 });
      } catch {
        return undefined;
      }
    });
    // Asking for the agent is what moves a start forward on a real Herdr.
    await until('the name gone', async () => {
      try {
        await herdr.call('agent.get', { target: 'ghost' });
        return false;
      } catch (error) {
        return error instanceof Refused && error.code === 'agent_not_found';
      }
    });
  });
});

describe('a question', () => {
  it('shows as blocked, and keys answer it', async () => {
    const pane = await herdr.open('question');
    await startAgent(herdr, pane, 'asker', 'claude');
    const { agent } = await herdr.call('agent.prompt', {
      target: 'asker',
      text: 'touch file',
      wait: { until: ['blocked'], timeout_ms: 40_000 },
    });
    expect(agent).toMatchObject({ agent: 'claude', agent_status: 'blocked' });
    const { explain } = await herdr.call('agent.explain', { target: 'asker' });
    expect(explain).toMatchObject({ agent: 'claude', state: 'blocked', visible_blocker: true });
    expect((await herdr.call('workspace.get', { workspace_id: pane.workspace_id })).workspace.agent_status).toBe(
      'blocked',
    );
    await herdr.call('agent.send_keys', { target: 'asker', keys: ['1'] });
    await hasStatus(herdr, 'asker', ['idle', 'done']);
    expect(await herdr.refusal('agent.send_keys', { target: 'asker', keys: ['1', 'home'] })).toBe('invalid_key');
  });
});

describe('what was seen', () => {
  it('is idle in the tab that is shown and done elsewhere, until that is shown', async () => {
    verifies('embedded.agents');
    const shown = await herdr.open('shown');
    const hidden = (await herdr.call('tab.create', { workspace_id: shown.workspace_id, cwd: herdr.work })).root_pane;
    await herdr.call('workspace.focus', { workspace_id: shown.workspace_id });
    await until('a prompt', async () => (await herdr.screen(hidden.pane_id)).includes('ready>'));
    await startAgent(herdr, shown, 'in-front');
    await startAgent(herdr, hidden, 'behind');
    const wait = { until: ['idle', 'done'] as const, timeout_ms: 40_000 };
    const front = await herdr.call('agent.prompt', {
      target: 'in-front',
      text: 'x',
      wait: { ...wait, until: [...wait.until] },
    });
    expect(front.agent.agent_status).toBe('idle');
    const behind = await herdr.call('agent.prompt', {
      target: 'behind',
      text: 'x',
      wait: { ...wait, until: [...wait.until] },
    });
    expect(behind.agent.agent_status).toBe('done');
    const done = await herdr.subscribe([
      { type: 'pane.agent_status_changed', pane_id: hidden.pane_id, agent_status: 'done' },
      { type: 'pane.agent_status_changed', pane_id: hidden.pane_id, agent_status: 'idle' },
    ]);
    // With a filter a status that stands already is told once at the beginning.
    await done.event('pane.agent_status_changed', (data) => data['agent_status'] === 'done');
    expect((await herdr.call('pane.read', { pane_id: hidden.pane_id, source: 'visible' })).read.text).toContain(
      'answered',
    );
    expect((await herdr.call('agent.get', { target: 'behind' })).agent.agent_status).toBe('done');
    await herdr.call('tab.focus', { tab_id: hidden.tab_id });
    await done.event('pane.agent_status_changed', (data) => data['agent_status'] === 'idle');
    expect((await herdr.call('agent.get', { target: 'behind' })).agent.agent_status).toBe('idle');
    done.close();
  });
});

describe('agent.wait and agent.rename', () => {
  it('answers at once, when it comes, with timeout, and with agent_not_running', async () => {
    const pane = await herdr.open('wait');
    await startAgent(herdr, pane, 'waited');
    const wait = (more: object) => herdr.refusal('agent.wait', { target: 'waited', ...more });
    expect((await herdr.call('agent.wait', { target: 'waited' })).agent.agent_status).toBe('idle');
    expect(await wait({ until: ['blocked'], timeout_ms: 200 })).toBe('timeout');
    const working = herdr.call('agent.wait', { target: 'waited', until: ['working'], timeout_ms: 40_000 });
    await herdr.call('agent.prompt', { target: 'waited', text: 'x' });
    expect((await working).agent.agent_status).toBe('working');
    await hasStatus(herdr, 'waited', ['idle', 'done']);
    const unwanted = wait({ until: ['blocked'], timeout_ms: 40_000 });
    await herdr.call('agent.send_keys', { target: 'waited', keys: [...'quit', 'enter'] });
    expect(await unwanted).toBe('agent_not_running');
    expect(await herdr.refusal('agent.wait', { target: 'waited' })).toBe('agent_not_found');
  });

  it('names an agent that somebody started by hand, and takes the name away again', async () => {
    const { pane_id } = await herdr.open('rename');
    await type(pane_id, 'pi');
    await hasStatus(herdr, pane_id, ['idle']);
    expect((await herdr.call('agent.rename', { target: pane_id, name: 'by-hand' })).agent.name).toBe('by-hand');
    expect((await herdr.call('agent.get', { target: 'by-hand' })).agent.pane_id).toBe(pane_id);
    expect(await herdr.refusal('agent.rename', { target: pane_id, name: 'Not Good' })).toBe('invalid_agent_name');
    expect((await herdr.call('agent.focus', { target: 'by-hand' })).agent.focused).toBe(true);
    expect((await herdr.call('agent.rename', { target: 'by-hand' })).agent.name).toBeUndefined();
    expect(await herdr.refusal('agent.get', { target: 'by-hand' })).toBe('agent_not_found');
  });
});

describe('reading an agent', () => {
  it('refuses a deep read of a busy full-screen agent, and reads its screen', async () => {
    const pane = await herdr.open('full-screen');
    await startAgent(herdr, pane, 'full');
    await herdr.call('agent.prompt', { target: 'full', text: 'full' });
    await hasStatus(herdr, 'full', ['working']);
    const read = { target: 'full', source: 'recent', lines: 500 } as const;
    if (theirs(herdr, 'deep-read-always')) expect((await herdr.call('agent.read', read)).type).toBe('pane_read');
    else expect(await herdr.refusal('agent.read', read)).toBe('agent_not_idle');
    const { read: screen } = await herdr.call('agent.read', { target: 'full', source: 'visible' });
    expect(screen.text).toContain('Working...');
    expect(screen.pane_id).toBe(pane.pane_id);
  });
});
