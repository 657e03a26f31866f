/** User units for systemd, as text. Pure; quoting as systemd.syntax(7) and systemd.service(5) describe it. */

import { WATCHDOG_S } from './limits.ts';
import { markOf, type ServicePlan } from './plan.ts';

export const SYSTEMD_UNIT = 'herdr-mcp.service';
const WATCHDOG_UNIT = 'herdr-mcp-watchdog.service';
export const WATCHDOG_TIMER = 'herdr-mcp-watchdog.timer';

/** File name → content. */
export function systemdUnits(plan: ServicePlan): Record<string, string> {
  const environment = Object.entries(plan.environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  );
  const run = (...args: string[]) => [plan.node, plan.script, ...args].map((word) => quoted(command(word))).join(' ');
  const head = (description: string) => ['[Unit]', `Description=${description}`];
  return {
    [SYSTEMD_UNIT]: lines(
      `# ${markOf(plan.stateDir)}`,
      ...head('herdr-mcp: this workstation for your web AI'),
      'StartLimitIntervalSec=0',
      '',
      '[Service]',
      'Type=exec',
      `ExecStart=${run('up', '--service')}`,
      ...environment,
      'UMask=0077',
      '# Only the supervisor is ended: its children go on, and the next supervisor takes them over.',
      'KillMode=process',
      '# A failure only. What the user stopped ends with code 0 and stays stopped.',
      'Restart=on-failure',
      'RestartSec=5',
      'TimeoutStopSec=30',
      '',
      '[Install]',
      'WantedBy=default.target',
    ),
    [WATCHDOG_UNIT]: lines(
      `# ${markOf(plan.stateDir)}`,
      ...head('herdr-mcp: is the supervisor well'),
      '',
      '[Service]',
      'Type=oneshot',
      `ExecStart=${run('service', 'watch')}`,
      ...environment,
      'UMask=0077',
    ),
    [WATCHDOG_TIMER]: lines(
      `# ${markOf(plan.stateDir)}`,
      ...head('herdr-mcp: looks after the supervisor'),
      '',
      '[Timer]',
      `OnActiveSec=${WATCHDOG_S}`,
      `OnUnitActiveSec=${WATCHDOG_S}`,
      '',
      '[Install]',
      'WantedBy=timers.target',
    ),
  };
}

/** A value in double quotes: backslash, quote and control characters escaped, `%` doubled (it begins a specifier). */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('%', '%%');
  return `"${escaped}"`;
}

/** In a command line `$` begins a variable and is doubled. */
const command = (word: string): string => word.replaceAll('$', '$$$$');

const lines = (...all: string[]): string => `${all.join('\n')}\n`;
