import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readPointer } from '../../../runtime-a-b/generations/index.ts';
import { verifies } from '../../verifies.ts';
import { at } from './support/each.ts';

// Each starts a dozen processes, several times; on a machine that does ten other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const first = { version: '1.0.0' };
const second = { version: '1.1.0' };

describe('a promotion', () => {
  it('goes to a build that passes every gate, drains the one before, and back with rollback', async () => {
    verifies('ab.generations');
    const [a, b] = [await at.stage(first), await at.stage(second)];
    at.pair();
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.up();
    expect(await up.until(({ state }) => state === 'running')).toMatchObject({
      active: { revision: a, generation: 'a' },
    });

    const staged = await at.do((now) => ({ ...now, candidate: b }));
    expect(staged.candidate).toMatchObject({ revision: b, generation: 'b', phase: 'ready' });
    expect(staged.candidate?.gates.map(({ gate }) => gate)).toEqual(['health', 'version', 'contract', 'inspect']);
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a' });

    const promoted = await at.do(({ candidate: _, ...now }) => ({ ...now, active: b }));
    expect(promoted).toMatchObject({ active: { revision: b, generation: 'b' }, previous: a });
    expect(promoted.last_transition).toMatchObject({ from: a, to: b, outcome: 'promoted' });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'b', revision: 2 });
    await up.until(({ draining }) => draining === undefined);
    expect(at.counts()).toEqual({ runtime: 1, 'herdr-link': 1, 'embedded-herdr': 1 });

    const back = await at.do((now) => ({ ...now, active: a }));
    expect(back).toMatchObject({ active: { revision: a, generation: 'a' }, last_transition: { back: true } });
    expect(back.previous).toBeUndefined(); // a rollback that is run twice must not go forward again
  });

  it.each([
    ['says another version', 'gate_version'],
    ['lists other tools', 'gate_contract'],
    ['fails herdr_inspect', 'gate_inspect'],
    ['does not start', 'candidate_did_not_start'],
  ] as const)('of a build that %s is held up, and nothing moves', async (fault, code) => {
    verifies('ab.generations');
    const [a, b] = [await at.stage(first), await at.stage({ ...second, fault })];
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    const observed = await at.do((now) => ({ ...now, active: b }));
    expect(observed.candidate).toMatchObject({ revision: b, phase: 'failed', code });
    expect(observed.last_transition).toMatchObject({ from: a, to: b, outcome: 'failed', code });
    expect(observed).toMatchObject({ active: { revision: a }, refused: [] });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a', revision: 1 });
    await up.until(({ children }) => !children.some(({ name }) => name === 'runtime-b'));
  });

  it.each([
    ['fails when active', /^observed_inspect$/],
    // Whoever looks first: the watch over processes, or the one over the promotion.
    ['ends when active', /^(candidate_ended|observed_silent)$/],
    ['answers nothing when active', /^observed_silent$/],
  ] as const)('to a build that %s is rolled back by itself, and that stays refused', async (fault, code) => {
    verifies('ab.generations');
    const [a, b, c] = [
      await at.stage(first),
      await at.stage({ ...second, fault }),
      await at.stage({ version: '1.2.0' }),
    ];
    await at.want((now) => ({ ...now, active: a, observation: { checks: 20, interval_ms: 20 } }));
    let up = await at.running();
    const observed = await at.do((now) => ({ ...now, active: b }));
    expect(observed.last_transition).toMatchObject({
      to: b,
      outcome: 'rolled_back',
      code: expect.stringMatching(code),
    });
    expect(observed).toMatchObject({
      active: { revision: a, generation: 'a' },
      refused: [{ revision: b, code: expect.stringMatching(code) }],
    });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a' });

    // Neither another supervisor, whose desired state still names it, nor another wish tries it again.
    await up.leave();
    up = await at.running();
    const again = await at.do((now) => ({ ...now, active: b }));
    expect(again).toMatchObject({ active: { revision: a }, last_transition: { to: b, outcome: 'refused' } });

    const other = await at.do((now) => ({ ...now, active: c }));
    expect(other).toMatchObject({ active: { revision: c }, last_transition: { to: c, outcome: 'promoted' } });
  });

  it('to a build that misses an answer stays: on a busy machine one is late for everybody', async () => {
    verifies('ab.generations');
    const [a, b] = [await at.stage(first), await at.stage({ ...second, fault: 'misses two answers when active' })];
    await at.want((now) => ({ ...now, active: a }));
    await at.running();
    const observed = await at.do((now) => ({ ...now, active: b }));
    expect(observed).toMatchObject({
      active: { revision: b },
      last_transition: { to: b, outcome: 'promoted' },
      refused: [],
    });
  });

  it('to a build whose process ends is rolled back for that, long before the first look at it', async () => {
    verifies('ab.generations');
    const [a, b] = [await at.stage(first), await at.stage({ ...second, fault: 'ends when active' })];
    await at.want((now) => ({ ...now, active: a, observation: { checks: 20, interval_ms: 10_000 } }));
    await at.running();
    const observed = await at.do((now) => ({ ...now, active: b }));
    expect(observed).toMatchObject({
      active: { revision: a },
      last_transition: {
        to: b,
        outcome: 'rolled_back',
        code: 'candidate_ended',
        reason: expect.stringContaining('code 3'),
      },
    });
  });

  it.each([
    ['needs a schema that the active one could not read', { knows: 9, oldest_reader: 5 }, 'schema_breaks_rollback'],
    ['speaks a contract outside the window', undefined, 'gate_contract'],
  ] as const)('to a build that %s is refused with the way out', async (_, state, code) => {
    verifies('ab.generations');
    const contract = { epoch: 6, hash: `sha256:${'0'.repeat(64)}` };
    const [a, b] = [await at.stage(first), await at.stage({ ...second, ...(state ? { state } : { contract }) })];
    await at.want((now) => ({ ...now, active: a }));
    await at.running();
    const observed = await at.do((now) => ({ ...now, candidate: b }));
    expect(observed.candidate).toMatchObject({ phase: 'failed', code });
    expect(observed.candidate?.reason).toMatch(
      state ? /Promote a revision in between first/ : /update herdr-mcp itself/,
    );
    expect(observed.active?.revision).toBe(a);
  });

  it('waits with the end of the one before until its calls and commands have ended', async () => {
    verifies('ab.generations');
    const [a, b] = [await at.stage(first), await at.stage(second)];
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    const running = join(at.stateDir, 'fake-running-a.json');
    const session = { session_id: 'es_a_x_1', command: 'sleep 1', root: '/', since_ms: 1, own: true };
    writeFileSync(running, JSON.stringify({ calls: [], sessions: [session], agents: [] }));
    await at.do((now) => ({ ...now, active: b }));
    const draining = await up.until(({ draining }) => draining?.waits_for === '1 running commands');
    expect(draining.draining).toMatchObject({ revision: a, generation: 'a' });
    expect(at.counts()).toMatchObject({ runtime: 2 });
    rmSync(running);
    await up.until(({ draining }) => draining === undefined);
    expect(at.counts()).toMatchObject({ runtime: 1 });
  });
});
