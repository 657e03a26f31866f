/** One pane: who is in it, what they do, for how long, and the last thing that it shows. A press chooses it. */
import { useComputed } from '@preact/signals';
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
  useEffect(() => (ref.current ? lookedAt.observe(ref.current) : undefined), []);
  const pinned = useComputed(() => keep.pin.value?.pane_id === id);
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
        {row.focused ? <span class="mark">{ui.t('focused')}</span> : null}
        <span class="small status">
          {row.status === null ? null : ui.t(`status_${row.status}`)}{' '}
          {row.since === null ? null : <Elapsed key={row.since} since={row.since} />}
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

/** Only this text goes on with the clock. Another beginning is another one of these. */
function Elapsed({ since }: { since: number }) {
  const { clock } = useUi();
  const text = useComputed(() => elapsed(clock.value - since));
  return <span class="elapsed">{text}</span>;
}
