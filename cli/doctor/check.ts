/** What a check is, and running them: each by itself, in order, with what it stands on; and mending what may be mended. */
import { LocalError } from '../../local/error/index.ts';

export interface Finding {
  name: string;
  /** `unknown` is what could not be looked at because something before it failed; `note` is well and worth knowing. */
  state: 'ok' | 'note' | 'failed' | 'unknown';
  fact: string;
  /** The one thing to do. */
  next?: string;
  /** What --fix did about it. */
  fixed?: string;
}

/** A check is well and has something to say beside. */
export class Note {
  readonly fact: string;
  readonly next: string;

  constructor(fact: string, next: string) {
    this.fact = fact;
    this.next = next;
  }
}

export interface Check {
  name: string;
  /** Names of checks without which this one means nothing. */
  after: readonly string[];
  /** Returns the fact; throws a `LocalError` with what is wrong, why, and the one command that mends it. */
  look(env: NodeJS.ProcessEnv): Promise<string | Note>;
  /** Mends what {@link look} refused, where that takes nothing from a person; returns what it did, if anything. */
  fix?(env: NodeJS.ProcessEnv): Promise<string | undefined>;
}

/** In this order, each by itself: one failure hides no other, unless a check stands on it. */
export async function runChecks(checks: readonly Check[], env: NodeJS.ProcessEnv, fix = false): Promise<Finding[]> {
  const findings: Finding[] = [];
  const isFine = (name: string) =>
    findings.some((finding) => finding.name === name && (finding.state === 'ok' || finding.state === 'note'));
  for (const check of checks) {
    const missing = check.after.find((name) => !isFine(name));
    if (missing) {
      findings.push({ name: check.name, state: 'unknown', fact: `not looked at, because "${missing}" is not well.` });
      continue;
    }
    const first = await lookOnce(check, env);
    if (first.state !== 'failed' || !fix || !check.fix) findings.push(first);
    else findings.push(await mend(check, check.fix.bind(check), env, first));
  }
  return findings;
}

/** Believed only when it looks well afterwards. */
async function mend(
  check: Check,
  fix: NonNullable<Check['fix']>,
  env: NodeJS.ProcessEnv,
  first: Finding,
): Promise<Finding> {
  try {
    const done = await fix(env);
    return done === undefined ? first : { ...(await lookOnce(check, env)), fixed: done };
  } catch (error) {
    return { ...first, fixed: `it could not be mended: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function lookOnce({ name, look }: Check, env: NodeJS.ProcessEnv): Promise<Finding> {
  try {
    const said = await look(env);
    return typeof said === 'string'
      ? { name, state: 'ok', fact: said }
      : { name, state: 'note', fact: said.fact, next: said.next };
  } catch (error) {
    return error instanceof LocalError
      ? { name, state: 'failed', fact: error.message, next: error.next }
      : { name, state: 'failed', fact: error instanceof Error ? error.message : String(error) };
  }
}
