/** What a chain gives back, for a person's eyes. Recorded text is made harmless for the terminal, line by line. */

import type { Answer } from '../runtime/index.ts';
import { age, note, oneLine, say, table } from '../terminal/index.ts';

type Facts = { source: string; values?: string[]; checkpoint_revision?: number; message_id?: string };

/** A chain as `continuity.resume` and `work_memory.resume` answer it. */
export function showChain(answer: Answer, nowMs: number): void {
  say(oneLine(`${str(answer.title) || '(no title)'}  ${str(answer.continuity_id)}`));
  say(`${str(answer.status)}, changed ${age(nowMs - Number(answer.updated_at))} ago`);
  const partition = answer.work_memory ?? (answer.project_ref === undefined ? null : answer);
  if (partition) {
    const { project_ref, repo_id, work_chain_id } = partition as Record<string, unknown>;
    say(oneLine(`work memory: ${str(project_ref)}  ${str(repo_id)}  ${str(work_chain_id)}`));
  }
  showWork(answer.work_state as Record<string, unknown> | undefined);
  const checkpoint = answer.checkpoint as { checkpoint_revision: number; summary: string } | null | undefined;
  if (checkpoint) showText(`checkpoint ${checkpoint.checkpoint_revision}`, checkpoint.summary);
  for (const turn of list(answer.turns)) {
    const when = new Date(Number(turn.observed_at)).toISOString();
    showText(`${str(turn.role)}, ${when}`, turn.text === null ? '(the body was reclaimed)' : str(turn.text));
  }
  for (const proof of list(answer.evidence)) showText(`evidence, ${str(proof.kind)}`, str(proof.content));
  note('');
  note('This is history: inspect the workspace and Git before you rely on it.');
  if (answer.older_cursor) note(`Older turns: the same command with --cursor ${str(answer.older_cursor)}`);
}

function showWork(state: Record<string, unknown> | undefined): void {
  if (!state) return;
  const identifiers = (state.identifiers ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries({ ...state, ...identifiers })) {
    const facts = value as Facts;
    if (typeof value !== 'object' || value === null || facts.source === undefined || facts.source === 'missing')
      continue;
    say(oneLine(`${name.replaceAll('_', ' ')}: ${(facts.values ?? []).join('; ')}  (${facts.source})`));
  }
}

function showText(head: string, text: string): void {
  say('');
  say(`── ${oneLine(head)}`);
  for (const line of text.split('\n')) say(oneLine(line));
}

/** Candidates or listed chains. */
export function showCandidates(chains: readonly Answer[], nowMs: number): void {
  const rows = chains.map((chain) => [
    str(chain.continuity_id),
    str(chain.title) || '-',
    list(chain.workspace_ids).length > 0 ? (chain.workspace_ids as string[]).join(' ') : '-',
    str(chain.status),
    String(chain.turns ?? ''),
    age(nowMs - Number(chain.updated_at)),
  ]);
  table([['CHAIN', 'TITLE', 'WORKSPACES', 'STATE', 'TURNS', 'CHANGED'], ...rows]).forEach(say);
  for (const chain of chains) {
    const excerpts = [chain.recent_user_excerpt, chain.recent_assistant_excerpt].filter(
      (text) => typeof text === 'string',
    );
    if (excerpts.length > 0) say('');
    if (excerpts.length > 0) say(str(chain.continuity_id));
    for (const excerpt of excerpts) say(`  ${oneLine(String(excerpt))}`);
  }
}

export const list = (value: unknown): Answer[] => (Array.isArray(value) ? (value as Answer[]) : []);
const str = (value: unknown): string => (typeof value === 'string' ? value : '');
