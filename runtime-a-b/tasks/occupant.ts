/**
 * Who really sits in an agent's pane when its task is about to end well. Herdr reads an identified agent's processes anew
 * only every 5 s (protocol 2.9), so a process that has turned into another agent is looked at by the old one's rules until
 * then, and its quiet screen passes for the end of a turn.
 */
import { basename } from 'node:path';
import { type ForegroundProcess, knownAgent } from '../../contract/herdr/index.ts';
import { type HerdrClient, HerdrFailure } from '../herdr/index.ts';
import { EVIDENCE_MS } from './limits.ts';

/** Whether another known agent is in front there. False also when Herdr cannot say: then its own word stands. */
export async function isReplaced(herdr: HerdrClient, paneId: string, kind: string | null): Promise<boolean> {
  try {
    const { process_info } = await herdr.call('pane.process_info', { pane_id: paneId }, { timeoutMs: EVIDENCE_MS });
    return isAnotherAgent(process_info.foreground_processes ?? [], kind);
  } catch (error) {
    if (error instanceof HerdrFailure) return false;
    throw error;
  }
}

/**
 * True only when a process is another agent by its own name or by the script that it runs, and no word of any process names
 * the agent that was asked: a wrapper, a sandbox or a child must not speak against it. Pure.
 */
export function isAnotherAgent(processes: readonly ForegroundProcess[], kind: string | null): boolean {
  const own = kind === null ? undefined : knownAgent(kind)?.label;
  if (own === undefined) return false;
  const labels = (words: readonly string[]) => words.map((word) => knownAgent(basename(word))?.label);
  if (processes.some((one) => labels([one.name, ...(one.argv ?? [])]).includes(own))) return false;
  return processes.some(({ name, argv }) => {
    const script = argv?.slice(1).find((word) => !word.startsWith('-'));
    return labels([name, argv?.[0] ?? '', script ?? '']).some((label) => label !== undefined);
  });
}
