/**
 * Asking GitHub through the workstation's own `gh`, with its own sign-in. Reads only; every question is a GET, and nothing
 * of the answer's text is trusted but its fields.
 */
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { runGit } from '../roots/index.ts';
import { GH_BYTES, GH_MS } from './limits.ts';

export type GhAnswer = { ok: true; value: unknown } | { ok: false; reason: string };

export interface Gh {
  /** `GET` of an API path such as `repos/o/r/pulls`. Never rejects for what GitHub or `gh` says. */
  get(path: string, signal: AbortSignal): Promise<GhAnswer>;
}

/** `path` is where programs are looked for; `env` is the person's, because the sign-in is theirs. */
export function openGh(env: Readonly<Record<string, string | undefined>>, command = 'gh'): Gh {
  return {
    async get(path, signal) {
      try {
        const result = await run(command, ['api', '--method', 'GET', '-H', 'Cache-Control: no-cache', path], {
          env: { ...env, GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', GH_PAGER: 'cat' },
          timeoutMs: GH_MS,
          maxBytes: GH_BYTES,
          signal,
        });
        if (result.timedOut) return { ok: false, reason: 'timeout' };
        if (result.code !== 0) return { ok: false, reason: reasonOf(result.stderr.toString('utf8')) };
        return { ok: true, value: JSON.parse(result.stdout.toString('utf8')) };
      } catch (error) {
        if (error instanceof SyntaxError) return { ok: false, reason: 'invalid_response' };
        if (error instanceof LocalError) return { ok: false, reason: 'gh_not_installed' };
        throw error;
      }
    },
  };
}

/** Only the kind of trouble; what `gh` prints may quote more than an answer should hold. */
function reasonOf(stderr: string): string {
  const status = /HTTP (\d{3})/.exec(stderr)?.[1];
  if (status) return `http_${status}`;
  return /auth login|authentication|not logged/i.test(stderr) ? 'gh_not_signed_in' : 'gh_failed';
}

/** `owner/name` of a checkout's GitHub remote (`origin` first), or undefined. */
export async function repositoryOf(root: string, signal: AbortSignal): Promise<string | undefined> {
  const result = await runGit(['remote', '-v'], { cwd: root, timeoutMs: GH_MS, maxBytes: 64 * 1024, signal });
  if (result.code !== 0) return undefined;
  return repositoryIn(result.stdout.toString('utf8'));
}

/** The GitHub repository among the lines of `git remote -v`. Pure. */
export function repositoryIn(remotes: string): string | undefined {
  const lines = remotes.split('\n').sort((a, b) => Number(b.startsWith('origin\t')) - Number(a.startsWith('origin\t')));
  for (const line of lines) {
    const found = /github\.com[:/]([A-Za-z0-9_.-]+)\/([A-Za-z0-9_.-]+?)(?:\.git)?\/?\s+\(/.exec(line);
    if (found) return `${found[1]}/${found[2]}`;
  }
  return undefined;
}

export const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/;
