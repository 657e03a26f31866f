import { describe, expect, it } from 'vitest';
import { kindOf } from '../../../edge/control/answers.ts';
import { NEXT_STATES } from '../../../edge/control/lanes.ts';
import { holds, leaseState } from '../../../edge/control/leases.ts';
import { repositoryOf } from '../../../edge/control/repository.ts';

describe('a planner lease', () => {
  const lease = (leaseGeneration: number, leaseHolder: string | null, leaseUntilMs: number | null) => ({
    leaseGeneration,
    leaseHolder,
    leaseUntilMs,
  });

  it.each([
    ['free', lease(0, null, null)],
    ['released', lease(3, null, null)],
    ['live', lease(3, 'conn_a', 1001)],
    ['expired', lease(3, 'conn_a', 1000)],
    ['expired', lease(3, 'conn_a', 1)],
  ] as const)('is %s', (state, row) => expect(leaseState(row, 1000)).toBe(state));

  it.each([
    ['its holder, with its generation, in time', lease(3, 'conn_a', 1001), 'conn_a', 3, true],
    ['somebody else', lease(3, 'conn_b', 1001), 'conn_a', 3, false],
    ['an older generation of the same holder', lease(3, 'conn_a', 1001), 'conn_a', 2, false],
    ['a generation that is not there yet', lease(3, 'conn_a', 1001), 'conn_a', 4, false],
    ['its holder, too late', lease(3, 'conn_a', 1000), 'conn_a', 3, false],
    ['nobody', lease(0, null, null), 'conn_a', 0, false],
  ] as const)('is held by %s', (_, row, who, generation, held) => expect(holds(row, who, generation, 1000)).toBe(held));
});

it.each([
  ['https://github.com/Owner/Name.git', 'github.com/owner/name'],
  ['https://user:token@github.com/owner/name', 'github.com/owner/name'],
  ['git@github.com:owner/name.git', 'github.com/owner/name'],
  ['ssh://git@github.com:22/owner/name/', 'github.com/owner/name'],
  ['github.com/owner/name', 'github.com/owner/name'],
  ['https://git.own.dev/Group/Sub/Name.git', 'git.own.dev/Group/Sub/Name'],
  ['ssh://git@git.own.dev:2222/a/b', 'git.own.dev:2222/a/b'],
  ['HTTPS://GIT.OWN.DEV//a//b', 'git.own.dev/a/b'],
  ['file:///home/me/repo', undefined],
  ['/home/me/repo', undefined],
  ['../repo', undefined],
  ['C:\\repo', undefined],
  ['https://github.com/', undefined],
  ['javascript://x.y/a', undefined],
  ['a name', undefined],
  ['', undefined],
])('the remote %s is %s', (remote, repository) => expect(repositoryOf(remote)).toBe(repository));

it('a lane that is over goes nowhere, and every other state can end', () => {
  expect(NEXT_STATES.completed).toEqual([]);
  expect(NEXT_STATES.cancelled).toEqual([]);
  for (const state of ['planned', 'active', 'blocked'] as const) expect(NEXT_STATES[state]).toContain('cancelled');
  expect(NEXT_STATES.planned).not.toContain('completed');
});

it('only calls that would act twice use up the allowance for keys', () => {
  expect(kindOf('herdr_mcp.work_chain.create')).toBe('admission');
  expect(kindOf('herdr_mcp.planner_lease.acquire')).toBe('routine');
  expect(kindOf('herdr_mcp.planner_lease.takeover')).toBe('critical');
  expect(kindOf('herdr_mcp.planner_lease.renew')).toBeUndefined();
  expect(kindOf('herdr_mcp.work_chain.inspect')).toBeUndefined();
});
