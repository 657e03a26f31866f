/** What a probe's output proves. Pure. Nothing is inferred from a name, and only exact forms promote a trait. */
import { TRAIT_CHARS_MAX } from './limits.ts';
import type { Trait, TraitName } from './record.ts';

/** Programs that are asked for their version; any other stays "installed, not probed" and is not run. */
export const PROBED: ReadonlySet<string> = new Set([
  'agy',
  'claude',
  'codex',
  'droid',
  'grok',
  'kilo',
  'opencode',
  'pi',
]);

type Traits = Partial<Record<TraitName, Trait>>;

/** The version in the first line that has one; undefined when none has. */
export function versionIn(output: string): string | undefined {
  for (const line of output.split('\n').slice(0, 5)) {
    const found = /(?:^|[\s/v(])(\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.-]+)?)(?=[\s),;]|$)/.exec(line)?.[1];
    if (found) return found.slice(0, TRAIT_CHARS_MAX);
  }
  return undefined;
}

/** Traits that a help text reports of its own program. */
export function traitsOfHelp(agent: string, help: string, observed_at_ms: number): Traits {
  const says = (value: boolean, detail: string): Trait => ({
    value,
    source: `${agent} --help`,
    authority: 'self_report',
    observed_at_ms,
    detail,
  });
  const traits: Traits = {};
  const headless = /\b(non-interactive(?:ly)?|headless)\b/i.exec(help)?.[0];
  if (headless) traits.can_run_headless = says(true, `names "${headless.toLowerCase()}"`);
  if (agent === 'pi') {
    // Its help lists its tools, one a line; these two lines are its own word for what it can do.
    const tool = (name: string) => new RegExp(`^\\s*${name}\\s+-\\s+\\S`, 'm').test(help);
    if (tool('edit') && tool('write')) traits.supports_code_edit = says(true, 'lists the tools edit and write');
    if (tool('bash')) traits.supports_shell = says(true, 'lists the tool bash');
  }
  return traits;
}

/** Kinds that `herdr agent start --help` lists, in the form `kinds: a, b` or `[possible values: a, b]`. */
export function kindsInHelp(help: string): string[] {
  const list = /(?:possible values|kinds?)\s*:\s*([a-z0-9_.,\s-]+)/i.exec(help)?.[1] ?? '';
  return [...new Set(list.split(/[\s,]+/).filter((kind) => /^[a-z0-9][a-z0-9_.-]{0,63}$/.test(kind)))];
}
