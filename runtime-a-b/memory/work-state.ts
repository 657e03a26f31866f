/**
 * What a chain says about its work, fact by fact, each with where it comes from: the checkpoint, a line of a recorded
 * turn that names it (`Next step: …`, `決定：…`), a binding or evidence, or it is missing and said to be. Nothing here is
 * inferred, and nothing is current: it is what was recorded. Pure.
 */
import { charBorder, fold } from '../journal/index.ts';
import { FACT_CHARS_MAX, FACTS_MAX } from './limits.ts';

/** A fact of the work, by name; the last five name things outside the text. */
const FACTS = {
  goal: {
    members: ['goal', 'objective', 'current_goal'],
    labels: ['goal', 'current goal', 'objective', '目標', '現在の目標', '目的', '目标', '当前目标'],
  },
  finished: {
    members: ['finished', 'finished_work', 'done', 'completed'],
    labels: ['finished', 'finished work', 'done', 'completed', '完了', '完了した作業', '已完成', '已完成的工作'],
  },
  decisions: {
    members: ['decisions', 'decision'],
    labels: ['decision', 'decisions', '決定', '重要な決定', '决定', '重要决定'],
  },
  open: {
    members: ['open', 'open_work', 'todo', 'remaining'],
    labels: ['open', 'open work', 'todo', 'remaining', '未完了', '未完了の作業', '残り', '未完成', '待办'],
  },
  constraints: {
    members: ['constraints', 'safety_constraints', 'safety'],
    labels: ['constraint', 'constraints', 'safety constraints', '制約', '安全上の制約', '约束', '安全约束'],
  },
  next_step: {
    members: ['next_step', 'next_steps', 'next', 'next_action'],
    labels: [
      'next',
      'next step',
      'next steps',
      'next action',
      '次',
      '次のステップ',
      '次のアクション',
      '推奨する次のアクション',
      '下一步',
    ],
  },
  workspace: { members: ['workspace'], labels: ['workspace', 'ワークスペース', '工作区'] },
  path: { members: ['path'], labels: ['path', 'パス', '路径'] },
  branch: { members: ['branch'], labels: ['branch', 'ブランチ', '分支'] },
  commit: { members: ['commit'], labels: ['commit', 'コミット', '提交'] },
  task: { members: ['task'], labels: ['task', 'タスク', '任务'] },
} as const;
type FactName = keyof typeof FACTS;
const IDENTIFIERS = ['workspace', 'path', 'branch', 'commit', 'task'] as const;

export type Fact =
  | { source: 'checkpoint'; checkpoint_revision: number; values: string[]; left_out?: number }
  | { source: 'tail'; message_id: string; role: string; values: string[]; left_out?: number }
  | { source: 'binding'; values: string[] }
  | { source: 'evidence'; evidence_id: string; values: string[] }
  | { source: 'missing' };

export type WorkState = {
  current: false;
  note: string;
  identifiers: Record<(typeof IDENTIFIERS)[number], Fact>;
} & Record<Exclude<FactName, (typeof IDENTIFIERS)[number]>, Fact>;

export interface WorkSources {
  checkpoint: { revision: number; content: Record<string, unknown> } | null;
  /** Oldest first. */
  turns: readonly { messageId: string; role: string; text: string }[];
  /** Workspaces that the chain's conversations are bound to. */
  workspaces: readonly string[];
  /** The newest evidence that names a place in Git. */
  place: { evidenceId: string; commit: string; path: string } | null;
}

const NOTE =
  'Recorded facts, not the present: inspect the live workspace, Git and running tasks before anything is changed. What is missing was not recorded.';

export function workState(sources: WorkSources): WorkState {
  const labelled = readLabels(sources.turns);
  const fact = (name: FactName): Fact =>
    fromCheckpoint(sources, name) ?? labelled.get(name) ?? fromElsewhere(sources, name) ?? { source: 'missing' };
  return {
    current: false,
    note: NOTE,
    goal: fact('goal'),
    finished: fact('finished'),
    decisions: fact('decisions'),
    open: fact('open'),
    identifiers: {
      workspace: fact('workspace'),
      path: fact('path'),
      branch: fact('branch'),
      commit: fact('commit'),
      task: fact('task'),
    },
    constraints: fact('constraints'),
    next_step: fact('next_step'),
  };
}

function fromCheckpoint({ checkpoint }: WorkSources, name: FactName): Fact | null {
  if (checkpoint === null) return null;
  const nested = checkpoint.content.identifiers;
  const isIdentifier = (IDENTIFIERS as readonly string[]).includes(name);
  const places =
    isIdentifier && typeof nested === 'object' && nested !== null && !Array.isArray(nested)
      ? [nested as Record<string, unknown>, checkpoint.content]
      : [checkpoint.content];
  for (const place of places) {
    for (const member of FACTS[name].members) {
      const values = valuesOf(Object.hasOwn(place, member) ? place[member] : undefined);
      if (values.length > 0) {
        return { source: 'checkpoint', checkpoint_revision: checkpoint.revision, ...bounded(values) };
      }
    }
  }
  return null;
}

function fromElsewhere({ workspaces, place }: WorkSources, name: FactName): Fact | null {
  if (name === 'workspace' && workspaces.length > 0) return { source: 'binding', values: [...workspaces] };
  if (name === 'commit' && place) return { source: 'evidence', evidence_id: place.evidenceId, values: [place.commit] };
  if (name === 'path' && place) return { source: 'evidence', evidence_id: place.evidenceId, values: [place.path] };
  return null;
}

/** A text or a list of texts; anything else in a list is shown as JSON. */
function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value))
    return value.flatMap((item) => (Array.isArray(item) ? [JSON.stringify(item)] : valuesOf(item)));
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? [JSON.stringify(value)] : [];
}

function bounded(values: readonly string[]): { values: string[]; left_out?: number } {
  const shown = values.slice(0, FACTS_MAX).map(cut);
  return { values: shown, ...(values.length > shown.length ? { left_out: values.length - shown.length } : {}) };
}

function cut(text: string): string {
  return text.length <= FACT_CHARS_MAX ? text : `${text.slice(0, charBorder(text, FACT_CHARS_MAX))}…`;
}

const BY_LABEL: ReadonlyMap<string, FactName> = new Map(
  Object.entries(FACTS).flatMap(([name, { labels }]) =>
    labels.map((label) => [fold(label), name as FactName] as const),
  ),
);

/** `Goal: text`, `**Goal:** text`, `## Goal`, `目標：…`, without the stars; only the beginning of a line names something. */
const LINE = /^\s*(?:[#>]+\s*|[-*・•]\s*|\d+[.)]\s+)?([^:：#]{1,40}?)\s*(?:([:：])\s*(.*))?$/u;
const HEADING = /^\s*(?:#{1,6}\s+|\*\*)/u;
const BULLET = /^\s*(?:[-*]\s+|[・•]\s*|\d+[.)]\s+)(.+)$/u;

/** A line that names something has its colon early; longer ones without are prose. */
const NAMED_WITHIN = 60;

/** Named lines of the turns; the newest turn that names something wins. */
function readLabels(turns: WorkSources['turns']): Map<FactName, Fact> {
  const found = new Map<FactName, Fact>();
  for (const turn of [...turns].reverse()) {
    for (const [name, values] of labelsOf(turn.text)) {
      if (found.has(name)) continue;
      found.set(name, { source: 'tail', message_id: turn.messageId, role: turn.role, ...bounded(values) });
    }
  }
  return found;
}

function labelsOf(text: string): Map<FactName, string[]> {
  const found = new Map<FactName, string[]>();
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (line.length > NAMED_WITHIN && !/[:：]/.test(line.slice(0, NAMED_WITHIN))) continue;
    const match = LINE.exec(line.replaceAll('**', ''));
    const name = match?.[1] === undefined ? undefined : BY_LABEL.get(fold(match[1].trim()));
    if (name === undefined || (match?.[2] === undefined && !HEADING.test(line))) continue;
    const rest = (match?.[3] ?? '').trim();
    const values = rest === '' ? bulletsAfter(lines, i + 1) : [rest];
    if (values.length > 0) found.set(name, values);
  }
  return found;
}

/** The list that follows a name; one empty line may stand between. */
function bulletsAfter(lines: readonly string[], from: number): string[] {
  const values: string[] = [];
  for (let i = from; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const bullet = BULLET.exec(line)?.[1];
    if (bullet !== undefined) values.push(bullet.trim());
    else if (line.trim() !== '' || values.length > 0) break;
  }
  return values;
}
