/** Auto in the bar: its switch with what it decided last, the way to the permission that it lacks, and a chat grown long. */
import { say } from '../../look/words/index.ts';
import type { HudState } from '../messages.ts';
import { autoText, judgeText, pressureText } from './say.ts';

/** The switch. Where Auto is on it can always be switched off; elsewhere it stands where something is bound. */
export function AutoSwitch({ hud, press }: { hud: HudState; press: (on: boolean) => void }) {
  if (hud.scope === null && !hud.auto.on) return null;
  const auto = autoText(hud);
  const judged = judgeText(hud);
  return (
    <>
      <button
        type="button"
        class={hud.auto.effective ? 'on' : ''}
        aria-pressed={hud.auto.on}
        title={auto.title}
        data-action="auto"
        onClick={() => press(!hud.auto.on)}
      >
        {auto.text}
      </button>
      {judged === null ? null : (
        <span class="quiet" role="img" title={judged.text} aria-label={judged.text} data-part="judge">
          {judged.mark}
        </span>
      )}
    </>
  );
}

/** The bar explains and leads to the options; it never gives the permission itself. */
export function Permission({ hud, open, close }: { hud: HudState; open: () => void; close: () => void }) {
  return (
    <section class="card" data-part="permission">
      <p>{say(hud.language, 'auto', 'permissionText')}</p>
      <span class="group">
        <button type="button" data-action="options" onClick={open}>
          {say(hud.language, 'auto', 'openOptions')}
        </button>
        <button type="button" onClick={close}>
          {say(hud.language, 'hud', 'close')}
        </button>
      </span>
    </section>
  );
}

export function Long({ hud }: { hud: HudState }) {
  const long = pressureText(hud);
  return long === null ? null : (
    <span class={long.warns ? 'warn' : 'quiet optional'} title={long.title} data-part="pressure">
      {long.text}
    </span>
  );
}
