/** Workspaces with Bind and with their panes; what is bound to this page stands first. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Picture, WorkspaceRow } from '../../contract/control/index.ts';
import { Command } from '../command.tsx';
import { Icon } from '../icon.tsx';
import { moveAmongRows } from './arrows.ts';
import { FIND_FROM_PANES, OPEN_AT_FIRST } from './limits.ts';
import { Pane } from './pane.tsx';
import { useUi } from './ui.ts';

export function Workspaces() {
  const { state, live, keep, language, t, p } = useUi();
  const find = useSignal('');
  const wanted = find.value.trim().toLowerCase();
  const order = live.order.value;
  const bindings = new Map(state.workspaces.map(({ id, binding }) => [id, binding]));
  const bound = (id: string) => (bindings.get(id) ?? null) !== null;
  const sorted = [...order.filter(bound), ...order.filter((id) => !bound(id))];
  const shown = wanted === '' ? sorted : sorted.filter((id) => fits(live.picture(), id, wanted));
  const many = useComputed(
    () => Object.values(live.counts.value).reduce((sum, one) => sum + one, 0) >= FIND_FROM_PANES,
  );
  const fold = (open: boolean) => void keep.fold(Object.fromEntries(order.map((id) => [id, open])));
  return (
    <section aria-labelledby="workspaces">
      <div class="line section">
        <h2 id="workspaces" class="grow flat">
          {p('workspaces')}
        </h2>
        {order.length > 1 ? (
          <>
            <button type="button" class="plain small" onClick={() => fold(false)}>
              {t('collapseAll')}
            </button>
            <button type="button" class="plain small" onClick={() => fold(true)}>
              {t('expandAll')}
            </button>
          </>
        ) : null}
      </div>
      {many.value || wanted !== '' ? (
        <input
          type="search"
          class="find"
          aria-label={t('find')}
          placeholder={t('find')}
          value={find.value}
          onInput={(event) => (find.value = event.currentTarget.value)}
        />
      ) : null}
      {live.phase.value === 'loading' ? <Loading /> : null}
      {live.phase.value === 'live' && order.length === 0 ? (
        <div class="empty">
          <p>{t('empty')}</p>
          <p>{t('emptyHelp')}</p>
          <Command language={language} text="herdr-mcp herdr open" />
        </div>
      ) : null}
      {wanted !== '' && shown.length === 0 ? <p class="quiet">{t('findNone', { text: find.value })}</p> : null}
      <ul class="workspaces" onKeyDown={moveAmongRows}>
        {shown.map((id) => (
          <Workspace
            key={id}
            id={id}
            early={sorted.indexOf(id) < OPEN_AT_FIRST}
            binding={bindings.get(id) ?? null}
            bindable={state.page !== null && bindings.has(id)}
            wanted={wanted}
          />
        ))}
      </ul>
    </section>
  );
}

function Loading() {
  const { t } = useUi();
  return (
    <div role="status">
      <span class="heard">{t('loading')}</span>
      {[60, 80, 45].map((width) => (
        <div key={width} class="wait" style={{ width: `${width}%` }} aria-hidden="true" />
      ))}
    </div>
  );
}

/** Whether anything that a person would call it holds the text: the workspace, its agents, their folders. */
function fits(picture: Picture | null, id: string, wanted: string): boolean {
  const workspace = picture?.workspaces.get(id);
  if (!picture || !workspace) return false;
  const names = [workspace.label, id, ...workspace.panes.flatMap((pane) => namesOf(picture, pane))];
  return names.some((name) => name.toLowerCase().includes(wanted));
}

function namesOf(picture: Picture, pane: string): string[] {
  const { name, agent, cwd } = picture.panes.get(pane) ?? {};
  return [name, agent, cwd].filter((one) => typeof one === 'string');
}

interface RowProps {
  id: string;
  early: boolean;
  binding: string | null;
  bindable: boolean;
  wanted: string;
}

function Workspace({ id, early, binding, bindable, wanted }: RowProps) {
  const { live, keep, t } = useUi();
  const row = live.workspace(id).value;
  const first = useRef<boolean | undefined>(undefined);
  if (row === undefined) return null;
  // What happens later opens nothing by itself: rows must not move under a hand.
  first.current ??= early || binding !== null || row.counts.working > 0 || row.counts.blocked > 0;
  const open = wanted !== '' || (keep.folds.value[id] ?? first.current);
  return (
    <li class={`workspace ${binding === null ? '' : 'bound'}`} data-workspace={id}>
      <div class="line top">
        <h3 class="grow">
          <button
            type="button"
            class="unfold"
            data-row
            aria-expanded={open}
            aria-controls={`panes-${id}`}
            onClick={() => void keep.fold({ [id]: !open })}
          >
            <Icon name="chevron" />
            {row.status === null ? null : <span class={`dot ${row.status}`} aria-hidden="true" />}
            <span class="name">{row.label}</span>
            {row.label === id ? null : <code class="quiet">{id}</code>}
            <Sum row={row} />
          </button>
        </h3>
        {bindable ? <Bind id={id} label={row.label} binding={binding} /> : null}
      </div>
      {binding === null ? null : <span class="heard">{t('bound')}</span>}
      <ul id={`panes-${id}`} class="panes" hidden={!open}>
        {open ? row.panes.map((pane) => <Pane key={pane} id={pane} />) : null}
      </ul>
    </li>
  );
}

/** How many panes, and what is remarkable among them. */
function Sum({ row: { counts, panes } }: { row: WorkspaceRow }) {
  const { t } = useUi();
  const said = (['blocked', 'working'] as const).filter((one) => counts[one] > 0);
  return (
    <span class="small quiet sum">
      {said.map((one) => `${counts[one]} ${t(`status_${one}`)}`).join(' · ') || t('panes', { count: panes.length })}
    </span>
  );
}

/** One change at a time; the row says what stands. */
function Bind({ id, label, binding }: { id: string; label: string; binding: string | null }) {
  const { bind, unbind, p } = useUi();
  const ref = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  useEffect(() => {
    // Bind and Unbind are two buttons to a reader, and one place to a hand.
    if (pressed.current) ref.current?.focus();
    pressed.current = false;
  }, [binding]);
  const press = () => {
    pressed.current = true;
    if (binding === null) bind(id);
    else unbind(binding);
  };
  return (
    <button
      ref={ref}
      type="button"
      class={`small ${binding === null ? '' : 'is-bound'}`}
      aria-label={p(binding === null ? 'bindLabel' : 'unbindLabel', { label })}
      onClick={press}
    >
      <Icon name={binding === null ? 'link' : 'unlink'} />
      {p(binding === null ? 'bind' : 'unbind')}
    </button>
  );
}
