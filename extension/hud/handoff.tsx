/** What a handoff of this chat is doing and why, and what a person may do about it. */
import { say } from '../../look/words/index.ts';
import type { HudState } from '../messages.ts';
import { why } from './say.ts';

/** The sentence of the line; null: no handoff has to do with this chat. */
export function handoffText({ handoff, language }: HudState): string | null {
  if (handoff === null) return null;
  const { phase, reason, copy } = handoff;
  const key = phase === 'failed' && copy !== null ? 'failedCopy' : phase;
  return say(language, 'handoff', `phase.${key}`, { why: reason === null ? '' : why(language, reason) });
}

/** Copies the prepared message; the old way where the page does not let the new one. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.documentElement.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function Handoff({ hud, toast }: { hud: HudState; toast: (text: string) => void }) {
  const { language, handoff } = hud;
  const text = handoffText(hud);
  if (handoff === null || text === null) return null;
  const { phase, copy, target } = handoff;
  const tone = phase === 'failed' ? 'bad' : phase === 'uncertain' ? 'warn' : phase === 'committed' ? 'good' : 'quiet';
  return (
    <div class="bar" data-part="handoff" data-phase={phase}>
      <span class={tone} title={text}>
        {text}
      </span>
      {copy === null ? null : (
        <button
          type="button"
          data-action="copy_prompt"
          onClick={() =>
            void copied(copy).then((done) => toast(say(language, 'handoff', done ? 'copied' : 'notCopied')))
          }
        >
          {say(language, 'handoff', 'copy')}
        </button>
      )}
      {target === null ? null : (
        <a href={target} data-action="open_target">
          {say(language, 'handoff', 'open')}
        </a>
      )}
    </div>
  );
}
