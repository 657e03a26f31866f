/** What a candidate must pass before traffic reaches it, and what it must keep passing while it is watched. */
import { canonicalJson, sha256 } from '../../../contract/canonical.ts';
import { isAcceptedRuntime } from '../../../contract/epochs/index.ts';
import type { OutcomeCode } from '../../../contract/outcome.ts';
import type { GateResult } from '../observed.ts';
import type { Revision } from '../revision.ts';
import { askHealth, askMcp } from './ask.ts';

export interface GateQuestion {
  stateDir: string;
  revision: Revision;
  port: number;
  /** Where the generation that serves now answers: what it cannot do either is not the candidate's fault. */
  activePort: number | undefined;
}

export interface Passed {
  gates: GateResult[];
  /** Whether what holds it up is an answer that did not come in time: nothing is known of it then. */
  missed: boolean;
}

/** In this order; the first that fails ends it. */
export async function runGates(question: GateQuestion): Promise<Passed> {
  const gates: GateResult[] = [];
  for (const [gate, look] of Object.entries(GATES)) {
    const { missed = false, ...said } = await look(question);
    gates.push({ gate, ...said });
    if (!said.ok) return { gates, missed };
  }
  return { gates, missed: false };
}

type Said = Omit<GateResult, 'gate'> & { missed?: true };

const missed = (fact: string): Said => ({ ok: false, fact, missed: true });

const GATES: Record<string, (question: GateQuestion) => Promise<Said>> = {
  async health({ port }) {
    const health = await askHealth(port);
    return health ? { ok: true, fact: `answers as boot ${health.bootId}` } : missed('it does not answer /health');
  },
  /** Of the process that answers, never of what was configured. */
  async version({ port, revision }) {
    const version = (await askHealth(port))?.version;
    if (version === undefined) return missed('it does not answer /health');
    return { ok: version === revision.version, fact: `it says ${version}, ${revision.version} is expected` };
  },
  async contract({ stateDir, port, revision }) {
    const { contract_epoch: epoch, contract_hash: expected } = revision;
    if (!isAcceptedRuntime(epoch, expected)) {
      return {
        ok: false,
        fact: `it speaks runtime contract ${epoch} (${expected.slice(0, 19)}…), which this herdr-mcp does not accept; update herdr-mcp itself, or stage another revision`,
      };
    }
    const answer = await askMcp(stateDir, port, 'tools/list', {});
    if (!answer) return missed('it does not answer tools/list');
    const { tools } = answer;
    if (!Array.isArray(tools)) return { ok: false, fact: 'tools/list gives no tools' };
    const hash = await sha256(canonicalJson(tools));
    if (hash === expected) return { ok: true, fact: `contract ${epoch}, ${tools.length} tools` };
    return { ok: false, fact: `tools/list has the hash ${hash}, ${expected} is expected` };
  },
  /** A real call through every layer. What lies outside both generations, and fails both alike, is not the candidate's fault. */
  async inspect({ stateDir, port, activePort }) {
    const said = await inspect(stateDir, port);
    if (said === 'ok') return { ok: true, fact: 'herdr_inspect answers' };
    if (said === undefined) return missed('it does not answer herdr_inspect');
    if (activePort === undefined || !OUTSIDE.has(said)) return { ok: false, fact: `herdr_inspect says ${said}` };
    const other = await inspect(stateDir, activePort);
    if (other === undefined) return missed(`herdr_inspect says ${said}, and the active generation does not answer it`);
    if (other === said) return { ok: true, fact: `herdr_inspect says ${said}, as the active generation does` };
    return { ok: false, fact: `herdr_inspect says ${said}` };
  },
};

/** Codes of `herdr_inspect` whose cause no build can be: no usable Herdr answers, or a person has paused it. */
const OUTSIDE: ReadonlySet<string> = new Set<OutcomeCode>(['herdr_unavailable', 'herdr_too_old', 'paused']);

/** `ok`, the code of its refusal, `nothing` that a tool says; `undefined` without an answer. */
async function inspect(stateDir: string, port: number): Promise<string | undefined> {
  const result = await askMcp(stateDir, port, 'tools/call', { name: 'herdr_inspect', arguments: {} });
  if (!result) return undefined;
  const { content } = result;
  const text = Array.isArray(content) ? (content[0] as { text?: unknown } | undefined)?.text : undefined;
  if (typeof text !== 'string') return 'nothing';
  const { ok, code } = parse(text);
  return ok === true ? 'ok' : typeof code === 'string' ? code : 'nothing';
}

function parse(text: string): { ok?: unknown; code?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
