/** One pane: who is in it, what they do, for how long, and the last thing that it shows. A press chooses it. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { elapsed, type PaneRow } from '../../contract/control/index.ts';
import { Icon } from '../icon.tsx';
import { pinOf } from './desk/index.ts';
import { Dock } from './dock.tsx';
import { nameOf, useUi } from './ui.ts';

export function Pane({ id }: { id: string }) {
  const ui = useUi();
  const { live, keep, lookedAt } = ui;
  const ref = useRef<HTMLLIElement>(null);
  const visible = useSignal(false);
  const known = live.pane(id).value !== undefined;
  useEffect(() => {
    const seen = (now: boolean) => {
      visible.value = now;
    };
    return ref.current ? lookedAt.observe(ref.current, seen) : undefined;
  }, [known]);
  const pinned = useComputed(() => keep.pin.value?.pane_id === id);
  const doubt = useComputed(() => keep.desk.value.acts[id]?.phase === 'uncertain');
  const row = live.pane(id).value;
  if (row === undefined) return null;
  const press = () => void keep.setPin(pinned.value ? null : pinOf(row, Date.now()));
  return (
    <li ref={ref} class={`pane ${pinned.value ? 'pinned' : ''}`} data-pane={id}>
      <button
        type="button"
        class="choose"
        data-row
        aria-pressed={pinned.value}
        title={row.cwd ?? undefined}
        onClick={press}
      >
        <span class={`dot ${row.status ?? 'none'}`} aria-hidden="true" />
        <span class="name">{nameOf(ui, row)}</span>
        {doubt.value ? <span class="mark warn">{ui.t('doubt')}</span> : null}
        {row.focused && !doubt.value ? <span class="mark">{ui.t('focused')}</span> : null}
        <span class="small status">
          {row.status === null ? null : ui.t(`status_${row.status}`)}{' '}
          {row.since === null ? null : <Elapsed key={row.since} since={row.since} visible={visible} />}
        </span>
        <span class="small quiet last" title={lastOf(row)}>
          {lastOf(row)}
        </span>
        {pinned.value ? <Icon name="pin" /> : null}
      </button>
      {pinned.value ? <Dock row={row} /> : null}
    </li>
  );
}

/** The folder's own name, and the last line. */
function lastOf({ cwd, line, id, agent }: PaneRow): string {
  const folder = cwd?.split('/').findLast((part) => part !== '') ?? null;
  return [agent === null ? null : id, folder, line].filter((one) => one !== null).join(' · ');
}

/** Only this text goes on with the clock, and only where somebody sees it. Another beginning is another one of these. */
function Elapsed({ since, visible }: { since: number; visible: ReadonlySignal<boolean> }) {
  const { clock } = useUi();
  const text = useComputed(() => elapsed((visible.value ? clock.value : clock.peek()) - since));
  return <span class="elapsed">{text}</span>;
}
