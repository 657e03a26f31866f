/**
 * Who really sits in an agent's pane when its task is about to end well. Herdr reads an identified agent's processes anew
 * only every 5 s (protocol 2.9), so a process that has turned into another agent is looked at by the old one's rules until
 * then, and its quiet screen passes for the end of a turn. One that a loop starts anew at once it does not tell apart at all.
 */
import { basename } from 'node:path';
import { type ForegroundProcess, knownAgent } from '../../contract/herdr/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { type HerdrClient, HerdrFailure } from '../herdr/index.ts';
import { AGE_MARGIN_MS, EVIDENCE_MS } from './limits.ts';

/** The agent that was asked is not there: another kind of one is, or the same kind, started since. */
export type OtherOccupant = 'agent_replaced' | 'agent_restarted';

/** Who else is in front there than the agent that was asked at that moment. Undefined also when the system cannot say. */
export async function otherOccupant(
  herdr: HerdrClient,
  { paneId, agentKind, createdAt }: { paneId: string; agentKind: string | null; createdAt: number },
  nowMs: () => number,
): Promise<OtherOccupant | undefined> {
  const processes = await foreground(herdr, paneId);
  if (isAnotherAgent(processes, agentKind)) return 'agent_replaced';
  const own = processes.filter((one) => agentKind !== null && labelsOf(one).includes(knownAgent(agentKind)?.label));
  for (const { pid } of own) {
    const age = await ageMs(pid);
    if (age === undefined || nowMs() - age <= createdAt + AGE_MARGIN_MS) return undefined;
  }
  return own.length > 0 ? 'agent_restarted' : undefined;
}

async function foreground(herdr: HerdrClient, paneId: string): Promise<readonly ForegroundProcess[]> {
  try {
    const { process_info } = await herdr.call('pane.process_info', { pane_id: paneId }, { timeoutMs: EVIDENCE_MS });
    return process_info.foreground_processes ?? [];
  } catch (error) {
    if (error instanceof HerdrFailure) return [];
    throw error;
  }
}

/** How long a process has run, in whole seconds rounded down; undefined when the system does not say. */
async function ageMs(pid: number): Promise<number | undefined> {
  try {
    const { code, stdout } = await run('ps', ['-o', 'etime=', '-p', String(pid)], { timeoutMs: EVIDENCE_MS });
    return code === 0 ? elapsedMs(stdout.toString('utf8')) : undefined;
  } catch (error) {
    if (error instanceof LocalError) return undefined;
    throw error;
  }
}

/** Reads POSIX's `[[days-]hours:]minutes:seconds`. Pure. */
export function elapsedMs(text: string): number | undefined {
  const match = /^\s*(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)\s*$/.exec(text);
  if (!match) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return ((((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000;
}

/**
 * True only when a process is another agent by its own name or by the script that it runs, and no word of any process names
 * the agent that was asked: a wrapper, a sandbox or a child must not speak against it. Pure.
 */
export function isAnotherAgent(processes: readonly ForegroundProcess[], kind: string | null): boolean {
  const own = kind === null ? undefined : knownAgent(kind)?.label;
  if (own === undefined) return false;
  if (processes.some(({ name, argv }) => labelled([name, ...(argv ?? [])]).includes(own))) return false;
  return processes.some((one) => labelsOf(one).some((label) => label !== undefined));
}

const labelled = (words: readonly string[]) => words.map((word) => knownAgent(basename(word))?.label);

/** What a process is by its own name, by what it was called as, and by the script that it runs. */
function labelsOf({ name, argv }: ForegroundProcess): (string | undefined)[] {
  const script = argv?.slice(1).find((word) => !word.startsWith('-'));
  return labelled([name, argv?.[0] ?? '', script ?? '']);
}
