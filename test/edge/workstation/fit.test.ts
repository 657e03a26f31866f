import { describe, expect, it } from 'vitest';
import { argumentsAfter, TOOLS } from '../../../contract/catalog/index.ts';
import { fitArguments } from '../../../edge/workstation/fit.ts';
import { verifies } from '../../verifies.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const json = (value: Uint8Array) => JSON.parse(new TextDecoder().decode(value));

describe('arguments for an older runtime', () => {
  it.each([
    [
      'herdr_exec',
      { workspace: 'w1', command: 'ls', intent: 'read_only' },
      4,
      { workspace: 'w1', command: 'ls', intent: 'read_only' },
    ],
    ['herdr_exec', { workspace: 'w1', command: 'ls', intent: 'read_only' }, 2, { workspace: 'w1', command: 'ls' }],
    ['herdr_inspect', { workspace: 'w1' }, 4, {}],
    ['herdr_git', { root: '/r', action: 'log' }, 2, { root: '/r', action: 'log' }],
  ])('%s %o at epoch %i', (tool, args, epoch, expected) => {
    verifies('edge.epoch-arguments');
    const fitted = fitArguments(tool, bytes(args), epoch);
    expect(fitted.ok && json(fitted.args)).toEqual(expected);
  });

  it.each([
    ['herdr_fs_write', { path: '/a', content: '', idempotency_key: 'k' }, 4, ['idempotency_key']],
    ['herdr_fs_edit', { path: '/a', old_string: 'a', new_string: 'b', expected_sha256: 'x' }, 4, ['expected_sha256']],
    ['herdr_exec', { workspace: 'w1', steps: [{ program: 'ls' }] }, 2, ['steps']],
    ['herdr_git', { root: '/r', action: 'show', rev: 'HEAD~1' }, 4, ['rev']],
  ])('%s %o at epoch %i is refused', (tool, args, epoch, missing) => {
    verifies('edge.epoch-arguments');
    expect(fitArguments(tool, bytes(args), epoch)).toEqual({ ok: false, missing });
  });

  it('passes the very same bytes to the current runtime', () => {
    const args = bytes({ path: '/a', content: 'x', idempotency_key: 'k' });
    const fitted = fitArguments('herdr_fs_write', args, 5);
    expect(fitted.ok && fitted.args).toBe(args);
  });

  it('refuses the idempotency key of every tool that has one', () => {
    verifies('edge.epoch-arguments');
    for (const { name } of TOOLS) {
      if (!argumentsAfter(name, 4).includes('idempotency_key')) continue;
      expect(fitArguments(name, bytes({ idempotency_key: 'k' }), 4)).toEqual({
        ok: false,
        missing: ['idempotency_key'],
      });
    }
  });
});
