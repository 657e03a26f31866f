import { describe, expect, it } from 'vitest';
import { type BusyFacts, busyGate, mutationGate, writeGate } from '../../../runtime-a-b/roots/index.ts';
import { verifies } from '../../verifies.ts';

const agent = (name: string) => ({ pane: 'p1', agent: name });

describe('write gate', () => {
  it.each([
    [{ readOnly: false, writeRoots: undefined }, '/r', undefined],
    [{ readOnly: true, writeRoots: undefined }, '/r', 'readonly_mode'],
    [{ readOnly: true, writeRoots: ['/r'] }, '/r', 'readonly_mode'],
    [{ readOnly: false, writeRoots: ['/r'] }, '/r/a', undefined],
    [{ readOnly: false, writeRoots: ['/r'] }, '/r-evil/a', 'root_not_whitelisted'],
    [{ readOnly: false, writeRoots: ['/r/sub'] }, '/r', 'root_not_whitelisted'],
    [{ readOnly: false, writeRoots: [] }, '/r', 'root_not_whitelisted'],
  ])('%o at %s gives %s', (policy, path, code) => {
    verifies('gates.write');
    expect(writeGate(policy, path)?.code).toBe(code);
  });
});

describe('mutation gate', () => {
  it.each([
    [{ path: '/r', kind: 'git', bare: false } as const, undefined],
    [{ path: '/r', kind: 'git', bare: true } as const, 'operational_root_mutation_unsupported'],
    [{ path: '/r', kind: 'operational', bare: false } as const, 'operational_root_mutation_unsupported'],
  ])('%o gives %s', (root, code) => {
    verifies('gates.write', 'roots.operational');
    expect(mutationGate(root)?.code).toBe(code);
  });
});

describe('busy gate', () => {
  const facts = (more: Partial<BusyFacts> = {}): BusyFacts => ({ state: 'live', working: [], unclear: [], ...more });

  it.each([
    ['idle', facts(), undefined],
    ['working', facts({ working: [agent('a')] }), 'agent_working'],
    ['working and unclear', facts({ working: [agent('a')], unclear: [agent('b')] }), 'agent_working'],
    ['unclear', facts({ unclear: [agent('b')] }), 'busy_state_unknown'],
    ['stale picture', facts({ state: 'stale' }), 'busy_state_unknown'],
    ['no picture', facts({ state: 'unknown' }), 'busy_state_unknown'],
  ])('%s', (_, given, code) => {
    verifies('gates.write', 'herdr.busy-unknown');
    expect(busyGate(given, false).refusal?.code).toBe(code);
    expect(busyGate(given, true).refusal).toBeUndefined();
  });

  it('says what was seen when it lets pass', () => {
    const result = busyGate(facts({ working: [agent('a')], state: 'stale' }), true);
    expect(result.warnings).toEqual({ working: [agent('a')], herdr: 'stale' });
  });
});
