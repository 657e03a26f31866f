import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sinceMs } from '../../cli/audit/since.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { build } from '../../scripts/build/index.ts';
import { openDesk } from '../runtime-a-b/operations/desk.ts';
import { verifies } from '../verifies.ts';
import { COMMAND } from './fake-edge.ts';

beforeAll(() => build({ parts: ['node'] }));

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'hm-audit-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

function cli(...args: string[]) {
  const env = { ...process.env, HERDR_MCP_STATE_DIR: stateDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'audit', ...args], {
    env,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

/** Three calls a minute apart: a write that is done, one that is refused, and a read; each carries a password. */
async function record(nowMs: number): Promise<void> {
  const desk = openDesk(stateDir);
  desk.now = nowMs - 120_000;
  await desk.submit('herdr_fs_write', { path: '/p/notes.md', content: 'hunter2 in a file' });
  desk.now = nowMs - 60_000;
  desk.tool = async () => {
    throw new OutcomeError('agent_working', 'hunter2 in a message', { next: 'Wait.', delivery: 'not_delivered' });
  };
  await desk.submit('herdr_exec', { workspace: 'w1', command: 'echo hunter2' });
  desk.now = nowMs;
  desk.tool = async () => ({ ok: true, body: { content: 'hunter2 in an answer' } });
  await desk.submit('herdr_fs_read', { path: '/p/notes.md' });
  desk.trail.flush();
  desk.close();
}

describe('herdr-mcp audit', () => {
  it('lists who called what, when, on what, with which outcome, newest first', async () => {
    verifies('runtime.audit');
    const now = Date.now();
    await record(now);
    const { code, out } = cli();
    expect(code).toBe(0);
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^when +who +tool +on what +outcome +took$/);
    expect(lines.map((line) => /herdr_\w+/.exec(line)?.[0])).toEqual(['herdr_fs_read', 'herdr_exec', 'herdr_fs_write']);
    expect(lines[0]).toContain(new Date(now).toISOString());
    expect(lines[0]).toMatch(/\/p\/notes\.md +ok /);
    expect(lines[1]).toContain('agent_working (not_delivered)');
  });

  it('never shows contents, whatever was asked, answered or refused', async () => {
    verifies('runtime.audit');
    await record(Date.now());
    for (const args of [[], ['--json']]) {
      const { out } = cli(...args);
      expect(out).toContain('herdr_exec');
      expect(out).not.toContain('hunter2');
    }
  });

  it('keeps to a time, a tool and a number, and says when there are more', async () => {
    verifies('runtime.audit');
    await record(Date.now());
    const tools = (...args: string[]) => {
      const answer = JSON.parse(cli('--json', ...args).out) as { entries: { tool: string }[]; more: boolean };
      return [answer.entries.map((entry) => entry.tool), answer.more];
    };
    expect(tools('--since', '1h')).toEqual([['herdr_fs_read', 'herdr_exec', 'herdr_fs_write'], false]);
    expect(tools('--since', '100s')).toEqual([['herdr_fs_read', 'herdr_exec'], false]);
    expect(tools('--tool', 'herdr_fs_write')).toEqual([['herdr_fs_write'], false]);
    expect(tools('--limit', '2')).toEqual([['herdr_fs_read', 'herdr_exec'], true]);
    expect(cli('--limit', '2').err).toContain('There are older ones');
  });

  it('says that nothing was recorded and makes no database to look into', () => {
    const { code, out } = cli();
    expect({ code, out }).toEqual({ code: 0, out: 'No call was recorded that fits.\n' });
    expect(existsSync(join(stateDir, 'state.db'))).toBe(false);
  });

  it.each([
    [['--since', 'yesterday'], '"yesterday" is neither'],
    [['--limit', '0'], '--limit needs a whole number'],
    [['--follow'], 'There is no option --follow'],
    [['--tool', ''], '--tool needs a value'],
  ])('refuses %j as wrong usage', (args, sentence) => {
    const { code, err } = cli(...args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});

describe('--since', () => {
  it.each([
    ['90s', 910_000],
    ['15m', 100_000],
    ['15 min', 100_000],
    ['1970-01-01T00:00:05Z', 5_000],
  ])('%s', (text, expected) => {
    expect(sinceMs(text, 1_000_000)).toBe(expected);
  });
});
