import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { GIT_OUTPUT_BYTES, GIT_TIMEOUT_MS } from '../limits.ts';
import type { Git } from './worktrees.ts';

/** The system's git: English messages, no prompts, no locks for reading, no variables that point elsewhere. */
export function systemGit(env: Readonly<Record<string, string | undefined>>): Git {
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE)$/.test(name)),
  );
  return async (cwd, args) => {
    try {
      const { code, stdout, stderr, timedOut } = await run('git', ['--no-optional-locks', ...args], {
        cwd,
        env: { ...clean, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
        timeoutMs: GIT_TIMEOUT_MS,
        maxBytes: GIT_OUTPUT_BYTES,
      });
      const said = timedOut ? `git did not end within ${GIT_TIMEOUT_MS} ms and was stopped` : stderr.toString('utf8');
      return { ok: code === 0 && !timedOut, stdout: stdout.toString('utf8'), stderr: said };
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      return { ok: false, stdout: '', stderr: error.message };
    }
  };
}
