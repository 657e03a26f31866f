import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readDesired, readObserved, readPointer } from '../../../runtime-a-b/generations/index.ts';
import { verifies } from '../../verifies.ts';
import { at } from './support/each.ts';

// Each starts a dozen processes, several times; on a machine that does ten other things that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const first = { version: '1.0.0' };

describe('a supervisor', () => {
  it('starts a child that ends by itself again, waits longer each time, and says so', async () => {
    const a = await at.stage(first);
    at.pair();
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    for (const [failures, name] of [
      [1, 'runtime-a'],
      [2, 'runtime-a'],
      [1, 'link'],
    ] as const) {
      at.strike(name);
      const seen = await up.until(({ children }) =>
        children.some((one) => one.name === name && one.failures === failures),
      );
      expect(seen.children.find((one) => one.name === name)?.last_end).toContain('ended with SIGKILL');
      const again = await up.until(
        ({ state, children }) => state === 'running' && children.every((one) => one.process !== undefined),
      );
      expect(again.trouble).toBeUndefined();
    }
    expect(at.said.filter((line) => line.includes('ended with SIGKILL'))).toHaveLength(3);
  });

  it('takes over what the one before left, also after SIGKILL, and starts nothing twice', async () => {
    const a = await at.stage(first);
    at.pair();
    await at.want((now) => ({ ...now, active: a }));
    const one = await at.up();
    await one.until(({ state }) => state === 'running');
    const before = at.processes();
    await one.leave();
    const other = await at.up();
    await other.until(({ state }) => state === 'running');
    expect(at.processes()).toEqual(before);
    await expect(at.up()).rejects.toThrow(/already runs/);
  });

  it('keeps ended what the user stopped', async () => {
    const a = await at.stage(first);
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    await at.want((now) => ({ ...now, running: false }));
    expect(await up.ended).toBeUndefined();
    expect(at.processes()).toEqual([]);
    const again = await at.up();
    expect(await again.ended).toBeUndefined();
    expect((await readObserved(at.stateDir)).observed).toMatchObject({ state: 'stopped', children: [] });
    expect(at.processes()).toEqual([]);
  });

  it('leaves a revoked link ended until the machine is paired again', async () => {
    const a = await at.stage(first);
    at.pair();
    const fake = join(at.stateDir, 'fake-link.json');
    writeFileSync(fake, JSON.stringify({ state: 'revoked', why: 'the edge revoked it' }));
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.up();
    const ended = await up.until(({ children }) =>
      children.some(({ name, failures }) => name === 'link' && failures === 1),
    );
    expect(ended.children.find(({ name }) => name === 'link')?.last_end).toContain('code 3');
    await up.until(({ state }) => state === 'running');
    expect(at.counts()['herdr-link']).toBeUndefined();
    rmSync(fake);
    at.pair();
    await up.until(({ children }) => children.some(({ name, process }) => name === 'link' && process));
  });

  it('goes on with what runs when a state file breaks, mends it, and says so', async () => {
    verifies('ab.broken-files');
    const a = await at.stage(first);
    await at.want((now) => ({ ...now, active: a, paused: { since_ms: 5 } }));
    const up = await at.running();
    const before = at.processes();
    for (const name of ['desired.json', 'observed.json', 'runtime-active.json']) {
      at.break(name);
      await expect.poll(() => at.isWhole(name), { timeout: 60_000 }).toBe(true);
    }
    expect(await readDesired(at.stateDir)).toMatchObject({ active: a, paused: { since_ms: 5 } });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a' });
    expect((await readObserved(at.stateDir)).observed).toEqual(up.observed());
    expect(at.processes()).toEqual(before);
    expect(at.said.join('\n')).toMatch(/desired\.json\.broken, and what was wanted last holds/);
  });

  it('goes on with what was wanted when desired.json may not be trusted, and says so', async () => {
    const a = await at.stage(first);
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.running();
    chmodSync(join(at.stateDir, 'desired.json'), 0o644);
    const told = await up.until(({ trouble }) => trouble !== undefined);
    expect(told.trouble).toMatch(/desired\.json .*so it is not trusted/);
    chmodSync(join(at.stateDir, 'desired.json'), 0o600);
    await up.until(({ trouble }) => trouble === undefined);
  });
});

describe('a new supervisor', () => {
  it('finds all state files broken: what runs is taken over, what was wanted holds, and nothing is lost', async () => {
    verifies('ab.broken-files');
    const a = await at.stage(first);
    at.pair();
    await at.want((now) => ({ ...now, active: a, paused: { since_ms: 5 } }));
    const before = await at.running();

    await before.leave();
    const running = at.processes();
    for (const name of ['desired.json', 'observed.json', 'runtime-active.json']) at.break(name);
    expect((await readObserved(at.stateDir)).observed).toMatchObject({ active: { revision: a, generation: 'a' } });
    const up = await at.running();
    expect(up.observed()).toMatchObject({ active: { revision: a, generation: 'a' }, herdr: { embedded: true } });
    expect(at.processes()).toEqual(running);
    expect(await readDesired(at.stateDir)).toMatchObject({ active: a, paused: { since_ms: 5 } });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a' });
    for (const name of ['desired.json', 'observed.json', 'runtime-active.json'])
      expect(readFileSync(join(at.stateDir, `${name}.broken`), 'utf8')).toBe('{"schema":');
    expect(at.said.join('\n')).toMatch(/found by looking: .*runtime-a/);
  });

  it('starts nothing when nobody can know what was wanted, and touches no file', async () => {
    verifies('ab.broken-files');
    const a = await at.stage(first);
    await at.want((now) => ({ ...now, active: a }));
    for (const name of ['desired.json', 'desired.copy.json']) at.break(name);
    await expect(at.up()).rejects.toThrow(/whether calls are paused/);
    expect(at.processes()).toEqual([]);
    expect(at.isWhole('desired.json')).toBe(false);
  });
});

describe('a runtime that lives and answers nothing', () => {
  it('is ended and started anew, once', async () => {
    verifies('ab.generations');
    const a = await at.stage(first);
    await at.want((now) => ({ ...now, active: a }));
    const up = await at.up({ silentMs: 1_500 });
    await up.until(({ state }) => state === 'running');
    const hung = up.pid('runtime-a');
    if (hung === undefined) throw new Error('no runtime runs');
    process.kill(hung, 'SIGSTOP');
    await up.until(({ children, state }) => {
      const pid = children.find(({ name }) => name === 'runtime-a')?.process?.pid;
      return state === 'running' && pid !== undefined && pid !== hung;
    });
    expect(at.said.join(' ')).toContain('stopped answering');
    expect(at.counts()).toMatchObject({ runtime: 1 });
  });
});
