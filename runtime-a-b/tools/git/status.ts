/** `git status --porcelain=v2 -z` as facts and as short text. Pure. */
import { printable } from './names.ts';

export interface StatusFacts {
  branch: {
    /** Null while detached. */
    name: string | null;
    /** Null before the first commit. */
    commit: string | null;
    upstream?: string;
    ahead?: number;
    behind?: number;
  };
  stashes?: number;
  entries: StatusEntry[];
}

export interface StatusEntry {
  /** Two letters as in the short format: index and working tree; `??` untracked. */
  code: string;
  path: string;
  from?: string;
  /** For a submodule: what changed in it. */
  submodule?: string;
}

/** Reads records ended by NUL. `output` is UTF-8 text; unknown records are left out. */
export function parseStatus(output: string): StatusFacts {
  const facts: StatusFacts = { branch: { name: null, commit: null }, entries: [] };
  const records = output.split('\0');
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    if (record.startsWith('# ')) readHeader(facts, record.slice(2));
    else if (record.startsWith('? ')) facts.entries.push({ code: '??', path: record.slice(2) });
    else if (/^[12u] /.test(record)) {
      const entry = readChange(record);
      if (record.startsWith('2 ')) {
        at += 1;
        entry.from = records[at] ?? '';
      }
      facts.entries.push(entry);
    }
  }
  return facts;
}

function readHeader(facts: StatusFacts, header: string): void {
  const [key, ...rest] = header.split(' ');
  const value = rest.join(' ');
  if (key === 'branch.oid') facts.branch.commit = value === '(initial)' ? null : value;
  else if (key === 'branch.head') facts.branch.name = value === '(detached)' ? null : value;
  else if (key === 'branch.upstream') facts.branch.upstream = value;
  else if (key === 'branch.ab') {
    facts.branch.ahead = Number(rest[0]?.slice(1));
    facts.branch.behind = Number(rest[1]?.slice(1));
  } else if (key === 'stash') facts.stashes = Number(value);
}

/** Fixed fields before the path: 8 for a change, 9 for a rename, 10 for a conflict. */
function readChange(record: string): StatusEntry {
  const fields = record.split(' ');
  const skip = record.startsWith('1 ') ? 8 : record.startsWith('2 ') ? 9 : 10;
  const submodule = describeSubmodule(fields[2] ?? 'N...');
  return {
    code: (fields[1] ?? '..').replaceAll('.', ' '),
    path: fields.slice(skip).join(' '),
    ...(submodule === undefined ? {} : { submodule }),
  };
}

function describeSubmodule(field: string): string | undefined {
  if (!field.startsWith('S')) return undefined;
  const parts = [
    field[1] === 'C' ? 'commit changed' : '',
    field[2] === 'M' ? 'modified content' : '',
    field[3] === 'U' ? 'untracked content' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The short format, one entry a line; names that could be misread are JSON strings. */
export function renderStatus(facts: StatusFacts): string {
  const { name, commit, upstream, ahead, behind } = facts.branch;
  const head = name ?? `HEAD (detached at ${commit?.slice(0, 12) ?? 'nothing'})`;
  const distance = [ahead ? `ahead ${ahead}` : '', behind ? `behind ${behind}` : '']
    .filter((part) => part !== '')
    .join(', ');
  const first = `## ${commit === null ? `No commits yet on ${head}` : head}${upstream === undefined ? '' : `...${upstream}`}${distance === '' ? '' : ` [${distance}]`}`;
  const lines = facts.entries.map(({ code, path, from, submodule }) => {
    const renamed = from === undefined ? '' : `${printable(from)} -> `;
    return `${code} ${renamed}${printable(path)}${submodule === undefined ? '' : ` (${submodule})`}`;
  });
  return `${[first, ...lines].join('\n')}\n`;
}

/** How many entries there are of each kind. */
export function countStatus(facts: StatusFacts): Record<string, number> {
  const counts = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
  for (const { code } of facts.entries) {
    if (code === '??') counts.untracked += 1;
    else if (code.includes('U') || code === 'AA' || code === 'DD') counts.conflicted += 1;
    else {
      if (code[0] !== ' ') counts.staged += 1;
      if (code[1] !== ' ') counts.unstaged += 1;
    }
  }
  return counts;
}
