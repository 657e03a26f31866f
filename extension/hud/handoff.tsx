/** What a handoff of this chat is doing and why, and what a person may do about it. */
import { say } from '../../look/words/index.ts';
import { handoffText } from '../handoff-text.ts';
import type { HudState } from '../messages.ts';

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
  if (handoff === null) return null;
  const text = handoffText(language, handoff);
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
