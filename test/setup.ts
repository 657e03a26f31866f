/**
 * Before every test file in Node: a home of its own. No test may read the person's configuration, keychain, agents or
 * Herdr, and none may leave anything there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** What a run of the tests is told by its environment: a real Herdr to test against, and to play every step. */
const KEPT = ['HERDR_BIN', 'HERDR_MCP_MATRIX'];

const home = mkdtempSync(join(tmpdir(), 'hm-home-'));
for (const name of Object.keys(process.env)) {
  if (/^(HERDR|XDG|MCP)_/.test(name) && !KEPT.includes(name)) delete process.env[name];
}
process.env.HOME = home;
process.env.XDG_CONFIG_HOME = join(home, '.config');
process.env.HERDR_MCP_STATE_DIR = join(home, '.config', 'herdr-mcp');
process.env.HERDR_MCP_SECRETS = 'file';
process.env.GIT_CONFIG_NOSYSTEM = '1';
process.env.GIT_AUTHOR_NAME = 'Test';
process.env.GIT_AUTHOR_EMAIL = 'test@example.invalid';
process.env.GIT_COMMITTER_NAME = 'Test';
process.env.GIT_COMMITTER_EMAIL = 'test@example.invalid';

afterAll(() => rmSync(home, { recursive: true, force: true }));
