/** What a command finds in its environment besides the person's own: nothing may page, prompt or ask. Pure. */
import { MARK } from './processes.ts';

const NO_PAGER = [
  'PAGER',
  'GIT_PAGER',
  'GH_PAGER',
  'SYSTEMD_PAGER',
  'MANPAGER',
  'DELTA_PAGER',
  'BAT_PAGER',
  'AWS_PAGER',
];

/** Set for every command, wherever it runs. */
export const PROMPTLESS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NO_PAGER.map((name) => [name, 'cat'])),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
};

/** The environment of one command. `login` wins where it does not concern prompts. */
export function commandEnvironment(login: Readonly<Record<string, string>>, id: string): Record<string, string> {
  const { SSH_ASKPASS: _ssh, SUDO_ASKPASS: _sudo, ...own } = login;
  return { ...own, ...PROMPTLESS, TERM: own['TERM'] ?? 'dumb', [MARK]: id };
}
