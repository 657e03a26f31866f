/** Screens as the most used agents draw them, and what the rules make of them. */
import { describe, expect, it } from 'vitest';
import { explainRules, type Glimpse, judge, rulesFor } from '../../embedded-herdr/agents/index.ts';

const glimpse = (screen: string, more: Partial<Glimpse> = {}): Glimpse => ({
  screen,
  title: '',
  titleSpins: false,
  progressing: false,
  ...more,
});

const CLAUDE_QUESTION = ` Bash command

   rm -r build

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for rm commands
   3. No, and tell Claude what to do differently (esc)
`;
const CODEX_QUESTION = `  Would you like to run the following command?

  $ npm test

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel
`;
const GEMINI_QUESTION = `│ Allow execution of: 'npm test'?
│ ● 1. Yes, allow once
│   2. No, suggest changes (esc)
 ⠏ Waiting for user confirmation...
`;
const OPENCODE_QUESTION = ` △ Permission required
   $ npm test
  Allow once   Allow always   Reject
`;
const COPILOT_QUESTION = ` Do you want to run this command?
 ❯ 1. Yes
   2. No, and tell Copilot what to do differently (Esc)
`;

const screens: [agent: string, what: string, screen: string, state: string | undefined][] = [
  ['claude', 'a question', CLAUDE_QUESTION, 'blocked'],
  ['claude', 'a turn', '● Reading\n\n✻ Pondering… (12s · ↑ 1.2k tokens · esc to interrupt)\n\n> \n', 'working'],
  ['claude', 'an empty composer', '> \n\n  ? for shortcuts\n', undefined],
  ['claude', 'a quoted question far above', `${CLAUDE_QUESTION}${'line\n'.repeat(20)}> \n`, undefined],
  ['claude', 'the transcript', `  Showing detailed transcript · ctrl+o to toggle\n`, 'keep'],
  ['codex', 'a question', CODEX_QUESTION, 'blocked'],
  ['codex', 'a turn', '• Working (8s • esc to interrupt)\n\n› \n', 'working'],
  ['codex', 'an empty composer', '› Summarize recent commits\n\n  100% context left\n', undefined],
  ['codex', 'the transcript', '/ / T R A N S C R I P T / /\n(3s • esc to interrupt)\n', 'keep'],
  ['gemini', 'a question', GEMINI_QUESTION, 'blocked'],
  ['gemini', 'a turn', ' ⠏ Reticulating splines (esc to cancel, 4s)\n\n > Type your message\n', 'working'],
  ['gemini', 'an empty composer', ' > Type your message or @path/to/file\n', undefined],
  ['opencode', 'a question', OPENCODE_QUESTION, 'blocked'],
  ['opencode', 'a turn', '  ⬝⬝⬝■■■  esc interrupt\n', 'working'],
  ['opencode', 'an empty composer', '  > \n  enter send\n', undefined],
  ['pi', 'a turn', '⠋ Working...\n', 'working'],
  ['pi', 'an empty composer', 'pi v1\n> \n', undefined],
  ['copilot', 'a question', COPILOT_QUESTION, 'blocked'],
  ['copilot', 'a turn', ' ● Thinking (Esc to cancel · 412 B)\n', 'working'],
  ['copilot', 'an empty composer', ' ❯ \n Ctrl+c Exit\n', undefined],
  ['cursor', 'a question', ' Run this command?\n → Run (once) (y) (enter)\n   Skip (esc or n)\n', 'blocked'],
  ['cursor', 'a turn', ' ⬡ Generating  12.1k tokens\n\n → Add a follow-up   ctrl+c to stop\n', 'working'],
  ['cursor', 'an empty composer', ' → Add a follow-up\n', undefined],
  ['amp', 'a turn of an agent without rules of its own', ' Running tools… esc to interrupt\n', 'working'],
  ['amp', 'a question of one', ' Allow this command?\n ❯ Yes\n   No\n', 'blocked'],
];

describe('screen rules', () => {
  it.each(screens)('%s: %s', (agent, _what, screen, state) => {
    expect(judge(rulesFor(agent), glimpse(screen))?.state).toBe(state);
  });

  it('believe a spinner in the title and a progress report, and a question more than both', () => {
    for (const agent of ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'cursor', 'amp']) {
      expect(judge(rulesFor(agent), glimpse('> \n', { titleSpins: true }))?.state).toBe('working');
      expect(judge(rulesFor(agent), glimpse('> \n', { progressing: true }))?.state).toBe('working');
    }
    expect(judge(rulesFor('claude'), glimpse(CLAUDE_QUESTION, { titleSpins: true }))?.state).toBe('blocked');
  });

  it('explain themselves, rule by rule', () => {
    const explained = explainRules(rulesFor('claude'), glimpse(CLAUDE_QUESTION));
    expect(explained.filter((rule) => rule.matched).map((rule) => rule.id)).toEqual(['permission']);
    expect(new Set(explained.map((rule) => rule.id)).size).toBe(explained.length);
  });
});
