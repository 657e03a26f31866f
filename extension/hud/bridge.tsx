/** The JSON bridge in the bar: how far it is, and the presses that stop it, let it go on, or give it more rounds. */
import { say } from '../../look/words/index.ts';
import { ROUNDS_MORE } from '../machines/bridge/index.ts';
import type { BridgeControl, BridgeView, HudState } from '../messages.ts';

export function Bridge({ hud, press }: { hud: HudState; press(what: BridgeControl): void }) {
  const { bridge, language } = hud;
  if (bridge === null) return null;
  const t = (key: Parameters<typeof say<'bridge'>>[2], values: Record<string, string | number> = {}) =>
    say(language, 'bridge', key, values);
  const { used, budget } = bridge;
  const state = bridge.tools === 'off' ? t('isOff') : textOf(bridge, t);
  return (
    <section class="bar" data-part="bridge" aria-label={t('name')}>
      <span class="name" title={t('title')}>
        {t('name')}
      </span>
      <span class={`state ${bridge.paused === null ? 'quiet' : 'warn'}`} title={state} data-part="bridge-state">
        {state}
      </span>
      {budget === 0 ? null : (
        <span class="quiet" title={t('roundsTitle')} data-part="bridge-rounds">
          {t('rounds', { used: Math.min(used, budget), budget })}
        </span>
      )}
      {bridge.waiting === 0 ? null : <span class="quiet">{t('waiting', { count: bridge.waiting })}</span>}
      {bridge.unnamed ? (
        <span class="warn" data-part="bridge-unnamed">
          {t('unnamed')}
        </span>
      ) : null}
      <span class="group">
        {pressesOf(bridge).map((what) => (
          <button
            type="button"
            key={what}
            data-bridge={what}
            title={t(`${what}Title`, { count: ROUNDS_MORE })}
            onClick={() => press(what)}
          >
            {t(what)}
          </button>
        ))}
      </span>
    </section>
  );
}

function textOf(
  { phase, paused, running, done, total }: BridgeView,
  t: (key: Parameters<typeof say<'bridge'>>[2], values?: Record<string, string | number>) => string,
): string {
  if (paused !== null) return t(`paused.${paused}`);
  if (phase === 'running') return t('phase.running', { tools: running.join(', '), done, total });
  return phase === 'paused' ? t('phase.idle') : t(`phase.${phase}`);
}

function pressesOf({ tools, phase, paused, budget }: BridgeView): BridgeControl[] {
  if (tools === 'off') return ['on'];
  const more: BridgeControl[] = budget > 0 ? ['extend'] : [];
  if (paused === 'uncertain' || paused === 'refused') return ['post_again', 'stop'];
  if (paused === 'budget') return [...more, 'stop'];
  if (paused !== null) return ['resume', 'off'];
  return phase === 'idle' ? ['off'] : [...more, 'stop'];
}
