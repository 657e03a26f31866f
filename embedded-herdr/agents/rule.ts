import type { AgentState } from '../../contract/herdr/index.ts';

/** What the rules look at. */
export interface Glimpse {
  /** The bottom screenful as plain text, without trailing blank lines. */
  screen: string;
  title: string;
  /** Whether OSC 9;4 says that something runs. */
  progressing: boolean;
  /** Whether the title begins with a turning spinner's glyph. */
  titleSpins: boolean;
}

/** Where a matcher looks: everything, the last non-blank lines, what follows the last ruler line, or the title. */
export type Region = 'screen' | 'title' | 'after_ruler' | { lastLines: number };

export type Matcher =
  | { text: string }
  | { regex: RegExp }
  | { all: readonly Matcher[] }
  | { any: readonly Matcher[] }
  | { not: Matcher }
  | { titleSpins: true }
  | { progressing: true };

/** `keep` leaves the state alone: a transcript viewer says nothing of the agent behind it. */
export type RuleState = Exclude<AgentState, 'unknown'> | 'keep';

export interface Rule {
  id: string;
  state: RuleState;
  /** The highest that matches wins; of equals the first. */
  priority: number;
  region: Region;
  when: Matcher;
}

export interface Verdict {
  state: RuleState;
  rule: string;
}

const RULER = /^\s*[─━═╌┄-]{8,}\s*$/;

function regionOf(glimpse: Glimpse, region: Region): string {
  if (region === 'screen') return glimpse.screen;
  if (region === 'title') return glimpse.title;
  const lines = glimpse.screen.split('\n').filter((line) => line.trim() !== '');
  if (region === 'after_ruler') return lines.slice(lines.findLastIndex((line) => RULER.test(line)) + 1).join('\n');
  return lines.slice(-region.lastLines).join('\n');
}

function holds(matcher: Matcher, text: string, glimpse: Glimpse): boolean {
  if ('text' in matcher) return text.toLowerCase().includes(matcher.text.toLowerCase());
  if ('regex' in matcher) return matcher.regex.test(text);
  if ('all' in matcher) return matcher.all.every((inner) => holds(inner, text, glimpse));
  if ('any' in matcher) return matcher.any.some((inner) => holds(inner, text, glimpse));
  if ('not' in matcher) return !holds(matcher.not, text, glimpse);
  return 'titleSpins' in matcher ? glimpse.titleSpins : glimpse.progressing;
}

const matches = (rule: Rule, glimpse: Glimpse): boolean => holds(rule.when, regionOf(glimpse, rule.region), glimpse);

/** What the rules make of a screen; undefined when none matches, which for a known agent means idle. */
export function judge(rules: readonly Rule[], glimpse: Glimpse): Verdict | undefined {
  let best: Rule | undefined;
  for (const rule of rules) {
    if ((best === undefined || rule.priority > best.priority) && matches(rule, glimpse)) best = rule;
  }
  return best && { state: best.state, rule: best.id };
}

/** Every rule with whether it matched, for `agent.explain`. */
export function explainRules(
  rules: readonly Rule[],
  glimpse: Glimpse,
): { id: string; state: RuleState; matched: boolean }[] {
  return rules.map((rule) => ({ id: rule.id, state: rule.state, matched: matches(rule, glimpse) }));
}
