/**
 * Where a real Herdr is known to behave otherwise than ours, each with its reason. A test that meets one asks
 * `theirs(herdr, id)` and then expects what a real Herdr does; the compatibility page lists the ones that were met.
 */
import { TestRunner } from 'vitest';
import { herdrVersion } from '../../../contract/herdr/index.ts';
import type { Herdr } from './server.ts';

export const DIFFERENCES = {
  'tab-closed-with-last-pane':
    'A real Herdr sends no `tab_closed` when a tab goes with its last pane, and no `workspace_closed` when its last shell exits; we send both, since extra truth is harmless.',
  'not-built': 'Methods of Herdr that only a person at its screen needs are answered with `not_implemented` by us.',
  'paste-end-in-text':
    'A real Herdr passes an embedded `ESC[201~` through, and the text after it leaves the paste; we take it out.',
  'prompts-in-turn': 'A real Herdr interleaves two prompts that come within 300 ms; we send them one after the other.',
  'colour-without-client':
    'A real Herdr does not answer a colour query while no client with a theme is attached; we answer always, or programs that wait for it start slowly.',
  'forced-removal':
    'A real Herdr kills the panes of a worktree that is removed by force, and its workspace goes with them unannounced; we send `workspace_closed`.',
  'last-output':
    'A real Herdr looks every 100 ms and may miss what a shell prints just before it ends; we look once more at the end.',
  'missing-cwd':
    'A real Herdr opens a workspace for a directory that does not exist, somewhere else; we refuse it by name.',
  'slow-regex': 'Rust’s regular expressions always end; ours backtrack, so a match that takes too long is refused.',
  'no-reordered-event':
    'Below 0.8.0 there is no `workspace.reordered`, and an unknown type refuses the whole subscription.',
  'last-tab-stays': 'Below 0.8.0 the last tab of a workspace cannot be closed.',
  'truncated-always-false': 'Below 0.8.0 `truncated` is always false.',
  'deep-read-always': 'Below 0.8.0 a deep read of a busy full-screen agent is not refused.',
  'shift-tab-is-tab': 'Below 0.8.1 shift+tab is sent as a plain tab.',
  'reports-without-process': 'Below 0.8.0 an integration’s report is believed before its process is seen.',
  'throttled-replay': 'A real Herdr delivers one event a kind in 100 ms, so replaying its whole ring takes a minute.',
} as const;
export type DifferenceId = keyof typeof DIFFERENCES;

/** Differences of older releases only: the first version that behaves as ours. */
const BELOW: Partial<Record<DifferenceId, readonly [number, number, number]>> = {
  'no-reordered-event': [0, 8, 0],
  'last-tab-stays': [0, 8, 0],
  'truncated-always-false': [0, 8, 0],
  'deep-read-always': [0, 8, 0],
  'shift-tab-is-tab': [0, 8, 1],
  'reports-without-process': [0, 8, 0],
};

function isBelow(version: string, floor: readonly [number, number, number]): boolean {
  const found = herdrVersion(version);
  if (!found) return false;
  const at = floor.findIndex((part, index) => part !== found[index]);
  return at >= 0 && (found[at] ?? 0) < (floor[at] ?? 0);
}

/** What a test leaves for the compatibility page. */
export interface CompatibilityNotes {
  differences?: DifferenceId[];
  /** Whether an agent's answer names the turn that it belongs to. */
  turnIdentity?: boolean;
}

function notes(): CompatibilityNotes {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('this belongs inside a running test');
  return test.meta as CompatibilityNotes;
}

/** Whether this server is one that has the difference; a test that hears yes expects what a real Herdr does. */
export function theirs(herdr: Herdr, id: DifferenceId): boolean {
  const floor = BELOW[id];
  if (herdr.kind !== 'real' || (floor && !isBelow(herdr.version, floor))) return false;
  const current = notes();
  current.differences = [...(current.differences ?? []), id];
  return true;
}

/** Notes whether an answer of an agent names its turn. */
export function noteTurnIdentity(answer: object): void {
  notes().turnIdentity = Object.keys(answer).some((key) => key.includes('turn'));
}
