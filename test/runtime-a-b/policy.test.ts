import { describe, expect, it } from 'vitest';
import { policyFrom } from '../../runtime-a-b/policy.ts';
import { verifies } from '../verifies.ts';

const place = { homeDir: '/home/kim', stateDir: '/s', ownFolders: [], platform: 'linux' } as const;

describe('what the owner allows', () => {
  it.each([
    [{}, false, undefined, []],
    [{ HERDR_MCP_READONLY: '1' }, true, undefined, []],
    [{ HERDR_MCP_READONLY: '0' }, false, undefined, []],
    [{ HERDR_MCP_WRITE_ROOTS: '/a, /b/../c ,' }, false, ['/a', '/c'], []],
    [{ HERDR_MCP_WRITE_ROOTS: '' }, false, [], []],
    [{ HERDR_MCP_PROTECTED_FOLDERS: '/p,/p' }, false, undefined, ['/p']],
  ])('%j: read-only %s, write roots %j, protected %j', (env, readOnly, writeRoots, protectedFolders) => {
    expect(policyFrom(env, place)).toMatchObject({ readOnly, writeRoots, protectedFolders });
  });

  it('guards its own state folder first, by every spelling', () => {
    verifies('roots.protected');
    const own = { ...place, ownFolders: ['/s', '/private/s'] };
    const { protectedFolders } = policyFrom({ HERDR_MCP_PROTECTED_FOLDERS: '/p,/s' }, own);
    expect(protectedFolders).toEqual(['/s', '/private/s', '/p']);
  });

  it.each([
    [{}, { read_only: true }, { readOnly: true }],
    [{ HERDR_MCP_READONLY: '0' }, { read_only: true }, { readOnly: true }],
    [{ HERDR_MCP_READONLY: '1' }, { read_only: false }, { readOnly: true }],
    [{}, { write_roots: ['/a/', '/b/../c'] }, { writeRoots: ['/a', '/c'] }],
    [{}, { write_roots: [] }, { writeRoots: [] }],
    [{ HERDR_MCP_WRITE_ROOTS: '/e' }, { write_roots: ['/a'] }, { writeRoots: ['/e'] }],
    [{}, { protected_folders: ['/p'] }, { protectedFolders: ['/p'] }],
    [{ HERDR_MCP_PROTECTED_FOLDERS: '/q,/p' }, { protected_folders: ['/p'] }, { protectedFolders: ['/p', '/q'] }],
  ])('%j beside config %j: never less strict than the file', (env, config, expected) => {
    expect(policyFrom(env, place, config)).toMatchObject(expected);
  });

  it('guards what macOS guards', () => {
    expect(policyFrom({}, { ...place, platform: 'darwin' }).protectedFolders).toEqual([
      '/home/kim/Documents',
      '/home/kim/Desktop',
      '/home/kim/Downloads',
    ]);
  });
});
