/** What is wrong with this page, what is being done about it and why, and the one safe step when Auto does not take it. */
import { say } from '../../look/words/index.ts';
import type { HudState } from '../messages.ts';
import { why } from './say.ts';

/** The sentences of the line; null: nothing is wrong. */
export function recoveryText({ recovery, language }: HudState): string | null {
  if (recovery === null) return null;
  const { phase, found, act, hold } = recovery;
  const reason = hold === null ? '' : why(language, hold);
  const step = act === 'retry' ? 'Retry' : 'Reload';
  const key =
    phase === 'suspect'
      ? hold === null
        ? 'do.suspect'
        : 'do.suspectHeld'
      : phase === 'exhausted'
        ? 'do.exhausted'
        : (`do.${phase}${step}` as const);
  const sentences = [say(language, 'recovery', `found.${found}`), say(language, 'recovery', key, { why: reason })];
  return sentences.join(language === 'en' ? ' ' : '');
}

/** `press`: the person takes the offered step. */
export function Recovery({ hud, running, press }: { hud: HudState; running: boolean; press: () => void }) {
  const { language, recovery, rateLimitedUntil } = hud;
  const text = recoveryText(hud);
  const offered = recovery?.phase === 'offered';
  return (
    <>
      {rateLimitedUntil === null ? null : (
        <div class="bar" data-part="rate-limited">
          <span class="warn">{say(language, 'recovery', 'rateLimited')}</span>
        </div>
      )}
      {text === null ? null : (
        <div class="bar" data-part="recovery">
          <span class={recovery?.phase === 'exhausted' ? 'bad' : 'warn'} title={text}>
            {text}
          </span>
          {offered ? (
            <button type="button" data-action="recover" aria-disabled={running} onClick={press}>
              {say(language, 'recovery', recovery.act === 'retry' ? 'press.retry' : 'press.reload')}
            </button>
          ) : null}
        </div>
      )}
    </>
  );
}
