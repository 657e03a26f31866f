import { describe, expect, it } from 'vitest';
import { ours, remembered } from '../../../runtime-a-b/generations/found.ts';
import { verifies } from '../../verifies.ts';

const STATE = '/home/you/my state';
const line = (pid: number, program: string, args: string) => ({
  pid,
  text: `/opt/node 24/bin/node --max-semi-space-size=16 ${STATE}/revisions/${program} ${args}`,
});
const runtime = (pid: number, revision: string, generation: string) =>
  line(
    pid,
    `${revision}/runtime.js`,
    `--port 1 --generation ${generation} --state-dir ${STATE} --herdr-socket /run/my h.sock`,
  );

describe('what runs here, found by looking at processes', () => {
  it('is every program that was started out of a revision, and nothing that only mentions one', () => {
    verifies('ab.broken-files');
    const found = ours(STATE, [
      runtime(1, '1.0.0-a', 'a'),
      line(2, '1.0.0-a/herdr-link.js', `--state-dir ${STATE}`),
      line(3, '1.0.0-a/embedded-herdr.js', '--socket x'),
      line(4, '1.0.0-a/runtime.js', `--migrate --state-dir ${STATE}`),
      line(5, '1.0.0-a/herdr-mcp.js', 'status'),
      { pid: 6, text: `/bin/sh -c read -r go || exit 0; exec "$@" </dev/null sh ${runtime(6, '1.0.0-a', 'b').text}` },
      { pid: 7, text: `/bin/node /home/other/revisions/1.0.0-a/herdr-link.js` },
    ]);
    expect(found).toEqual([
      { name: 'runtime-a', revision: '1.0.0-a', pid: 1, herdr: '/run/my h.sock' },
      { name: 'link', revision: '1.0.0-a', pid: 2 },
      { name: 'herdr', revision: '1.0.0-a', pid: 3 },
    ]);
  });

  it.each([
    ['the pointer says which one serves', { pointer: 'b', wanted: 'one' }, 'b'],
    ['without a pointer it is the one that is wanted', { pointer: undefined, wanted: 'two' }, 'b'],
    ['and without both the first', { pointer: undefined, wanted: undefined }, 'a'],
  ] as const)('of two generations %s, and the other one drains', (_, { pointer, wanted }, serves) => {
    verifies('ab.broken-files');
    const found = ours(STATE, [runtime(1, 'one', 'a'), runtime(2, 'two', 'b')]);
    const known = {
      pointer: pointer && ({ schema: 1, generation: pointer, port: 1, revision: 1 } as const),
      desired: wanted && ({ schema: 1, change: 1, running: true, active: wanted } as const),
    };
    const observed = remembered(STATE, found, known, String, 5);
    expect(observed).toMatchObject({
      active: { generation: serves },
      draining: { generation: serves === 'a' ? 'b' : 'a' },
      herdr: { embedded: false, socket: '/run/my h.sock' },
    });
  });

  it('is nothing when every process has ended', () => {
    verifies('ab.broken-files');
    const observed = remembered(
      STATE,
      ours(STATE, [runtime(1, 'one', 'a')]),
      { pointer: undefined, desired: undefined },
      () => undefined,
      5,
    );
    expect(observed).toMatchObject({ state: 'stopped', children: [] });
    expect(observed.active).toBeUndefined();
  });
});
