import { describe, expect, it } from 'vitest';
import { assertSocketPath, resolveStateDir, statePaths } from '../../local/paths/index.ts';

describe('where the state folder is', () => {
  it.each([
    [{ HERDR_MCP_STATE_DIR: '/x/state', XDG_CONFIG_HOME: '/c', HOME: '/h' }, '/x/state'],
    [{ XDG_CONFIG_HOME: '/c', HOME: '/h' }, '/c/herdr-mcp'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/herdr-mcp'],
    [{ XDG_CONFIG_HOME: '', HERDR_MCP_STATE_DIR: '', HOME: '/h' }, '/h/.config/herdr-mcp'],
    [{}, '/home/someone/.config/herdr-mcp'],
  ])('%o is %s', (env, expected) => {
    expect(resolveStateDir(env, 'HOME' in env ? env.HOME : '/home/someone')).toBe(expected);
  });

  it('has every path inside it', () => {
    const flat = Object.values(statePaths('/s')).flatMap((path) =>
      typeof path === 'string' ? [path] : Object.values(path),
    );
    expect(flat.every((path) => path === '/s' || path.startsWith('/s/'))).toBe(true);
    expect(new Set(flat).size).toBe(flat.length);
  });
});

describe('a socket path', () => {
  it('of 100 bytes is accepted and returned', () => {
    const path = `/${'a'.repeat(99)}`;
    expect(assertSocketPath(path)).toBe(path);
  });

  it('of more is refused by name, counted in bytes and not in characters', () => {
    const path = `/${'ä'.repeat(50)}`;
    expect(() => assertSocketPath(path)).toThrow(/101 bytes/);
    expect(() => assertSocketPath(path)).toThrow(path);
  });
});
