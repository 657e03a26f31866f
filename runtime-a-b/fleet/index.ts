/** The workstations of this fleet, as the edge lists them. Asked when somebody looks; nothing is stored. */
import * as Value from 'typebox/value';
import type { FleetAnswer } from '../../contract/control/index.ts';
import { DeviceList } from '../../contract/fleet/index.ts';
import { createEdgeDoor } from '../edge/index.ts';
import { FLEET_FRESH_MS, FLEET_PATIENCE_MS } from '../limits.ts';

export interface Fleet {
  /** At most some seconds old; those who ask at once share one question. Never rejects. */
  list(): Promise<FleetAnswer>;
}

export function openFleet(stateDir: string, nowMs: () => number): Fleet {
  const edge = createEdgeDoor(stateDir, nowMs);
  let last: { at: number; answer: Promise<FleetAnswer> } | undefined;

  async function ask(): Promise<FleetAnswer> {
    const answer = await edge.send('/devices', undefined, FLEET_PATIENCE_MS, new AbortController().signal);
    if (answer === undefined) return FAILURES.not_paired;
    if (answer.kind === 'failed') {
      return /^http_40[13]$/.test(answer.code) ? FAILURES.refused : FAILURES.unreachable;
    }
    const list = jsonOf(answer.body);
    if (!Value.Check(DeviceList, list)) return FAILURES.unreachable;
    const { devices, self, observed_at_ms } = list;
    return { ok: true, devices, self, observed_at_ms };
  }

  return {
    list() {
      const now = nowMs();
      if (last === undefined || now - last.at >= FLEET_FRESH_MS || now < last.at) last = { at: now, answer: ask() };
      return last.answer;
    },
  };
}

type Failure = Extract<FleetAnswer, { ok: false }>;

const FAILURES = {
  not_paired: {
    ok: false,
    code: 'not_paired',
    message: 'This workstation is paired with no edge, so it belongs to no fleet.',
    next: 'herdr-mcp worker connect pairs it; what runs here works without.',
  },
  refused: {
    ok: false,
    code: 'refused',
    message: 'The edge does not accept this workstation.',
    next: 'herdr-mcp doctor says why.',
  },
  unreachable: {
    ok: false,
    code: 'unreachable',
    message: 'The edge did not answer.',
    next: 'What runs here works without; ask again later.',
  },
} as const satisfies Record<string, Failure>;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no answer of the edge's
  }
}
