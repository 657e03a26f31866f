/** Launch agents for macOS, as property lists. Pure; keys as launchd.plist(5) describes them. */
import { join } from 'node:path';
import { WATCHDOG_S } from './limits.ts';
import { markOf, type ServicePlan } from './plan.ts';

export const LAUNCHD_LABEL = 'dev.herdr-mcp.workstation';
export const LAUNCHD_WATCHDOG = 'dev.herdr-mcp.watchdog';

/** File name → content. */
export function launchAgents(plan: ServicePlan): Record<string, string> {
  const shared = (label: string, args: string[], log: string): Entry[] => [
    ['Label', label],
    ['ProgramArguments', [plan.node, plan.script, ...args]],
    ['EnvironmentVariables', Object.entries(plan.environment)],
    ['ProcessType', 'Interactive'],
    ['Umask', 0o077],
    // Children go on when the supervisor is ended, and the next one takes them over.
    ['AbandonProcessGroup', true],
    ['StandardOutPath', join(plan.logs, log)],
    ['StandardErrorPath', join(plan.logs, log)],
  ];
  return {
    [`${LAUNCHD_LABEL}.plist`]: plist(plan, [
      ...shared(LAUNCHD_LABEL, ['up', '--service'], 'up.log'),
      ['RunAtLoad', true],
      // A failure only. What the user stopped ends with code 0 and stays stopped.
      ['KeepAlive', [['SuccessfulExit', false]]],
      ['ThrottleInterval', 5],
      ['ExitTimeOut', 30],
    ]),
    [`${LAUNCHD_WATCHDOG}.plist`]: plist(plan, [
      ...shared(LAUNCHD_WATCHDOG, ['service', 'watch'], 'watchdog.log'),
      ['StartInterval', WATCHDOG_S],
    ]),
  };
}

type Value = string | number | boolean | readonly string[] | readonly Entry[];
type Entry = readonly [string, Value];

function plist(plan: ServicePlan, entries: readonly Entry[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    `<!-- ${markOf(plan.stateDir)} -->`,
    ...dict(entries),
    '</plist>',
    '',
  ].join('\n');
}

function dict(entries: readonly Entry[]): string[] {
  return [
    '<dict>',
    ...entries.flatMap(([key, value]) => [`  <key>${escaped(key)}</key>`, ...shown(value).map(indent)]),
    '</dict>',
  ];
}

function shown(value: Value): string[] {
  if (typeof value === 'string') return [`<string>${escaped(value)}</string>`];
  if (typeof value === 'number') return [`<integer>${value}</integer>`];
  if (typeof value === 'boolean') return [value ? '<true/>' : '<false/>'];
  if (value.every((one): one is string => typeof one === 'string')) {
    return ['<array>', ...value.map((one) => `  <string>${escaped(one)}</string>`), '</array>'];
  }
  return dict(value as readonly Entry[]);
}

const indent = (line: string): string => `  ${line}`;

/** XML text; characters that XML 1.0 does not know cannot stand in a path that launchd could use. */
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
