/** The bar: one line of state, and what a person can do. Every button says why it cannot be pressed. */
import type { Signal } from '@preact/signals';
import { say } from '../../look/words/index.ts';
import type { ActionName, BridgeControl, HudState, WorkspaceSeen } from '../messages.ts';
import { AutoSwitch, Long, Permission } from './auto.tsx';
import { Bridge } from './bridge.tsx';
import { Handoff } from './handoff.tsx';
import { Recovery } from './recovery.tsx';
import { actionTitle, deliveryText, stateOf, tasksText } from './say.ts';

export interface BarState {
  hud: HudState;
  toast: string | null;
  seen: readonly WorkspaceSeen[] | null;
  /** An action was pressed and has not been answered. */
  running: ActionName | 'auto' | null;
  /** The person wanted Auto where it is not allowed yet. */
  explains: boolean;
}

export interface BarActions {
  press(action: ActionName): void;
  auto(on: boolean): void;
  closeSeen(): void;
  bridge(what: BridgeControl): void;
  options(): void;
  toast(text: string): void;
  closeExplained(): void;
}

export function Bar({ state, act }: { state: Signal<BarState | null>; act: BarActions }) {
  const shown = state.value;
  if (shown === null) return null;
  const { hud, toast, seen } = shown;
  const words = (key: Parameters<typeof say<'hud'>>[2], values?: Record<string, string | number>) =>
    say(hud.language, 'hud', key, values);
  const work = stateOf(hud);
  const delivery = deliveryText(hud);
  const tasks = tasksText(hud);
  return (
    <div class="frame" lang={hud.language}>
      {seen === null ? null : <Seen hud={hud} seen={seen} close={act.closeSeen} />}
      <div role="status" aria-live="polite">
        {toast === null ? null : <div class="toast">{toast}</div>}
      </div>
      {shown.explains && hud.auto.why === 'project_permission_off' ? (
        <Permission hud={hud} open={act.options} close={act.closeExplained} />
      ) : null}
      <Recovery hud={hud} running={shown.running !== null} press={() => act.press('recover')} />
      <Handoff hud={hud} toast={act.toast} />
      <Bridge hud={hud} press={act.bridge} />
      {hud.settled === null ? null : <Settled state={shown} act={act} />}
      <div class={hud.auto.effective ? 'bar auto' : 'bar'} role="toolbar" aria-label={words('bar')}>
        <span class="name">{words('bar')}</span>
        <span class={`state ${work.tone}`} title={work.text}>
          {work.text}
        </span>
        <span
          class="quiet optional"
          title={words('boundTitle', { labels: hud.bound.map(({ label }) => label).join(', ') })}
        >
          {hud.bound.length === 0 ? '' : words('bound', { count: hud.bound.length })}
        </span>
        <Long hud={hud} />
        {tasks === null ? null : (
          <span class="quiet optional" title={words('tasksTitle')} data-part="tasks">
            {tasks}
          </span>
        )}
        {delivery === null ? null : (
          <span class={`state ${isForPerson(hud.delivery) ? 'warn' : 'quiet'}`} title={delivery}>
            {delivery}
          </span>
        )}
        <span class="group">
          <Press action="continue" label={words('continue')} state={shown} act={act} />
          <Press action="check" label={words('check')} state={shown} act={act} />
          {hud.decides ? <Press action="decide" label={words('decide')} state={shown} act={act} /> : null}
          <Press
            action="handoff"
            label={hud.handoff?.phase === 'uncertain' ? say(hud.language, 'handoff', 'resume') : words('handoff')}
            state={shown}
            act={act}
          />
          <AutoSwitch hud={hud} press={act.auto} />
        </span>
      </div>
    </div>
  );
}

/** A message that was not sent, or perhaps not: a person has to read all of it. */
const isForPerson = (delivery: HudState['delivery']): boolean =>
  delivery?.state === 'uncertain' || delivery?.state === 'blocked';

function Press(props: { action: ActionName; label: string; state: BarState; act: BarActions }) {
  const { action, label, state, act } = props;
  const title = actionTitle(state.hud, action);
  // Not `disabled`: a button that cannot be pressed must still be reached, to hear why.
  const locked = title !== '' || state.running !== null;
  return (
    <button
      type="button"
      data-action={action}
      aria-disabled={locked}
      title={title}
      aria-description={title}
      onClick={() => act.press(action)}
    >
      {state.running === action ? `${label} …` : label}
    </button>
  );
}

/** Work that settled and that this chat was not told: the offer to tell it by hand. */
function Settled({ state, act }: { state: BarState; act: BarActions }) {
  const { settled, language } = state.hud;
  if (settled === null) return null;
  const key = settled.uncertain ? 'settledUncertain' : settled.round === 'round' ? 'settledRound' : 'settledPartial';
  return (
    <div class="bar" data-part="settled">
      <span class={settled.uncertain ? 'warn' : 'good'}>{say(language, 'hud', key, { label: settled.label })}</span>
      <Press
        action="send_settled"
        label={say(language, 'hud', settled.uncertain ? 'sendSettledAgain' : 'sendSettled')}
        state={state}
        act={act}
      />
    </div>
  );
}

/** What the bound workspaces look like now. */
function Seen({ hud, seen, close }: { hud: HudState; seen: readonly WorkspaceSeen[]; close: () => void }) {
  const { language } = hud;
  return (
    <section class="card" data-part="seen" aria-label={say(language, 'hud', 'seenTitle')}>
      <h2>
        {say(language, 'hud', 'seenTitle')}
        <button type="button" onClick={close}>
          {say(language, 'hud', 'close')}
        </button>
      </h2>
      {seen.length === 0 ? <p class="quiet">{say(language, 'hud', 'seenEmpty')}</p> : null}
      <ul>
        {seen.map((workspace) => (
          <li key={workspace.workspace}>
            {workspace.label}: {say(language, 'hud', `work.${workspace.status}`)}
            <ul>
              {workspace.agents.length === 0 ? <li class="quiet">{say(language, 'hud', 'seenNoAgents')}</li> : null}
              {workspace.agents.map((agent) => (
                <li key={agent.pane}>
                  {agent.name}: {agent.status}
                  {agent.title === null ? null : <span class="quiet"> – {agent.title}</span>}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
