import type { OutputMatch } from '../../contract/herdr/index.ts';
import { OUTPUT_BURST_MS } from '../limits.ts';
import type { Pane, Session } from '../session/index.ts';
import { type LineMatcher, lineMatcher, RegexTooSlow } from '../terminal/index.ts';
import { CallError, type Handlers, paneNamed } from './call.ts';
import { type ReadParams, readPane } from './panes.ts';
import { keysOf, pasted, type } from './typing.ts';
import { waiting } from './waiting.ts';

/** The matcher of a caller's `match`; refuses a regex that is none in Herdr's dialect. */
export function matcherOf(match: OutputMatch): LineMatcher {
  const made = lineMatcher(match);
  if (!made.ok) throw new CallError('invalid_regex', `${JSON.stringify(match.value)}: ${made.reason}`);
  return (text) => {
    try {
      return made.matches(text);
    } catch (error) {
      if (error instanceof RegexTooSlow) throw new CallError('invalid_regex', error.message);
      throw error;
    }
  };
}

/** What a match sees: `recent` is read as unwrapped, so that a line is a line however narrow the screen. */
export const matchRead = (pane: Pane, params: ReadParams) =>
  readPane(pane, { ...params, source: params.source === 'recent' ? 'recent_unwrapped' : params.source });

/** Calls `look` after output of this pane, at most once in `everyMs`, the last output included. */
export function afterOutput(session: Session, pane: Pane, everyMs: number, look: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const off = session.signals.output.on((changed) => {
    if (changed !== pane || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      look();
    }, everyMs);
  });
  return () => {
    off();
    clearTimeout(timer);
  };
}

type Owned = 'pane.send_text' | 'pane.send_keys' | 'pane.send_input' | 'pane.wait_for_output';

export const inputMethods: Pick<Handlers, Owned> = {
  'pane.send_text': ({ pane_id, text }, { session }) => {
    type(paneNamed(session, pane_id), text, 'pane_send_failed');
    return { type: 'ok' };
  },
  'pane.send_keys': ({ pane_id, keys }, { session }) => {
    const pane = paneNamed(session, pane_id);
    for (const bytes of keysOf(pane, keys)) type(pane, bytes, 'pane_send_failed');
    return { type: 'ok' };
  },
  'pane.send_input': ({ pane_id, text = '', keys = [] }, { session }) => {
    const pane = paneNamed(session, pane_id);
    type(pane, pasted(pane, text) + keysOf(pane, keys).join(''), 'pane_send_failed');
    return { type: 'ok' };
  },
  'pane.wait_for_output': (params, call) => {
    const { session } = call;
    const pane = paneNamed(session, params.pane_id);
    const matches = matcherOf(params.match);
    const result = () => {
      const read = matchRead(pane, params);
      const line = matches(read.text);
      if (line === undefined) return undefined;
      return { type: 'output_matched' as const, pane_id: pane.id, revision: 0, matched_line: line, read };
    };
    return waiting(call, params.timeout_ms ?? undefined, 'no line matched', (settle) => {
      const look = (): void => settle(result);
      const stop = afterOutput(session, pane, OUTPUT_BURST_MS, look);
      const gone = session.signals.gone.on((removed) => {
        if (removed !== pane) return;
        // Its last output may hold the match: it is looked at once more before the pane counts as gone.
        settle(() => {
          const last = result();
          if (last) return last;
          throw new CallError('pane_not_found', `${pane.id} was closed before a line matched`);
        });
      });
      look();
      return () => {
        stop();
        gone();
      };
    });
  },
};
