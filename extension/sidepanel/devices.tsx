/** The workstations of the fleet: may each act, is it connected, and which one is this. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { elapsed, type FleetAnswer } from '../../contract/control/index.ts';
import { Icon } from '../icon.tsx';
import { askWorker } from '../panel-client.ts';
import { useUi } from './ui.ts';

type Answer = FleetAnswer | null;
type Listed = Extract<FleetAnswer, { ok: true }>['devices'][number];

export function Devices() {
  const { state, keep, t } = useUi();
  const answer = useSignal<Answer | undefined>(undefined);
  const reached = state.runtime === 'connected';
  // Asked when the panel opens, when the workstation is reached anew, and when a person wants to know.
  useEffect(() => {
    if (reached) void ask();
  }, [reached]);

  async function ask(): Promise<void> {
    const given = await askWorker('panel.fleet', null);
    answer.value = given.ok ? given.value : null;
  }
  const now = answer.value;
  const shown = now?.ok ? now.devices.filter(({ authorization }) => authorization !== 'revoked') : [];
  const online = shown.filter(({ connection }) => connection === 'online').length;
  return (
    <details
      class="card fold"
      open={keep.folds.value['devices'] === true}
      onToggle={(event) => void keep.fold({ devices: event.currentTarget.open })}
    >
      <summary>
        <Icon name="chevron" />
        <h2 class="flat">{t('devices')}</h2>
        {now?.ok ? <span class="small quiet">{t('devicesOnline', { online, total: shown.length })}</span> : null}
      </summary>
      {now === undefined ? <p class="quiet">{t('loading')}</p> : <Failure answer={now} />}
      {now?.ok ? (
        <ul>
          {shown.map((device) => (
            <Device key={device.device_id} device={device} self={device.device_id === now.self} />
          ))}
        </ul>
      ) : null}
      <button type="button" class="plain small" onClick={() => void ask()}>
        <Icon name="refresh" />
        {t('refresh')}
      </button>
    </details>
  );
}

function Failure({ answer }: { answer: Answer }) {
  const { t } = useUi();
  if (answer?.ok) return null;
  return <p class="quiet">{t(answer === null ? 'devices_unknown' : `devices_${answer.code}`)}</p>;
}

/** How connected it is, in the colours of the other dots. */
const DOT = { online: 'done', stale: 'blocked', offline: 'offline', unknown: 'unknown' } as const;

function Device({ device, self }: { device: Listed; self: boolean }) {
  const { t } = useUi();
  const { name, connection, authorization, paused, last_seen_ago_ms: seen } = device;
  const said = [
    t(`connection_${connection}`),
    ...(authorization === 'active' ? [] : [t(`authorization_${authorization}`)]),
    ...(paused ? [t('devicePaused')] : []),
    ...(connection === 'online' || seen === undefined ? [] : [t('deviceSeen', { time: elapsed(seen) })]),
  ];
  return (
    <li class="row device" title={device.device_id}>
      <span class={`dot ${DOT[connection]}`} aria-hidden="true" />
      <span class="label">
        {name}
        {self ? <span class="mark">{t('deviceThis')}</span> : null}
      </span>
      <span class="small quiet">{said.join(' · ')}</span>
    </li>
  );
}
