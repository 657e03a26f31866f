import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { managedSession, refuseInManagedSession } from '../../local/managed/index.ts';
import { verifies } from '../verifies.ts';

const MODULE = join(import.meta.dirname, '..', '..', 'local', 'managed', 'index.ts');

describe('a command that changes services', () => {
  it('is refused in a session of a web AI, with one sentence', () => {
    verifies('ab.services');
    expect(() => refuseInManagedSession('herdr-mcp install', { HERDR_MCP_EXEC_ID: 'es_a_1' })).toThrow(
      /herdr-mcp install was started by a web AI through this workstation \(session es_a_1\).*nothing was changed/,
    );
  });

  it('is found there also when its own environment was cleared', () => {
    verifies('ab.services');
    const script = `import { managedSession } from ${JSON.stringify(MODULE)}; console.log(managedSession({}) ?? 'none')`;
    const inner = ['env', '-i', process.execPath, '--no-warnings', '--input-type=module', '-e', script];
    const run = (env: NodeJS.ProcessEnv) =>
      execFileSync('/bin/sh', ['-c', '"$@"; exit $?', 'sh', ...inner], { encoding: 'utf8', env }).trim();
    expect(run({ PATH: process.env['PATH'], HERDR_MCP_EXEC_ID: 'es_b_2' })).toBe('es_b_2');
    expect(run({ PATH: process.env['PATH'] })).toBe(managedSession({}) ?? 'none');
  });

  it('goes no further than what can be seen, and no further than it must', () => {
    expect(managedSession({}, () => undefined)).toBeUndefined();
    let looks = 0;
    const endless = (pid: number) => {
      looks += 1;
      return { environ: 'PATH=/bin', parent: pid + 1 };
    };
    expect(managedSession({}, endless)).toBeUndefined();
    expect(looks).toBeLessThan(100);
    expect(managedSession({}, () => ({ environ: 'A=1\0HERDR_MCP_EXEC_ID=es_a_3\0B=2', parent: 1 }))).toBe('es_a_3');
    expect(managedSession({}, () => ({ environ: 'XHERDR_MCP_EXEC_ID=es_a_3', parent: 1 }))).toBeUndefined();
  });
});
