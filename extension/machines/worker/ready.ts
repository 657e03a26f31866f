/** Which open tab of a conversation may be written to. Pure. */
import { projectOf } from '../../page.ts';
import { readNewChat } from './new-chat.ts';
import type { Delivery, State, Tab } from './state.ts';

/**
 * An open tab of the conversation: the one that is asked for, else one that a person looks at, else any. Not one in which a
 * turn is missing that another one has shown: what is sent there would answer an older one, and the chat would fork.
 */
export function tabOf(state: State, conversation: string, wanted: number | null): number | null {
  const all = tabsOf(state, conversation);
  if (wanted !== null && all.some(([id]) => id === wanted)) return wanted;
  const open = all.filter(([, tab]) => !all.some(([, other]) => (other.turnAt ?? 0) > (tab.shownAt ?? 0)));
  return (open.find(([, tab]) => tab.state.visible) ?? open[0])?.[0] ?? null;
}

/** The same, only among tabs that may be written to now: known to be idle, known to hold no draft. */
export function readyTab(state: State, conversation: string): number | null {
  const ready = tabsOf(state, conversation);
  // Of a chat with tools, the tab that showed the reply: the site tells another one nothing of it.
  // Two tabs of one conversation: while one of them holds a draft or an answer comes in, neither is quiet.
  const quiet = ready.every(([, tab]) => isQuiet(tab));
  const replied = state.bridge.loops[conversation]?.tab ?? null;
  return ready.length > 0 && quiet ? tabOf(state, conversation, replied) : null;
}

/**
 * The page was lost while our text stood in its composer, and the site brings drafts back: the one draft that stands there
 * now may be ours. The page compares it and refuses any other, so that a person's words cost one refusal.
 */
export function restoredTab(state: State, { state: now, attempt, conversation }: Delivery): number | null {
  if (now !== 'planned' || attempt === 0) return null;
  const open = tabsOf(state, conversation);
  const [drafted, ...more] = open.filter(([, tab]) => tab.state.draft === true);
  const quiet = open.every(([, { state: page }]) => page.busy === false && page.draft !== null && !page.card);
  return quiet && drafted !== undefined && more.length === 0 ? drafted[0] : null;
}

/** The tab in which a new chat was to begin, once it shows one. */
export function begunTab(state: State, { conversation }: Delivery): number | null {
  const fresh = readNewChat(conversation);
  return fresh !== null && state.tabs[fresh.tab]?.page.conversation != null ? fresh.tab : null;
}

/** The open tabs of a conversation. */
export function tabsOf(state: State, conversation: string): [number, Tab][] {
  const fresh = readNewChat(conversation);
  if (fresh !== null) {
    const tab = state.tabs[fresh.tab];
    const there = tab?.page.conversation === null && (projectOf(tab.page)?.key ?? null) === fresh.project;
    return tab !== undefined && there ? [[fresh.tab, tab]] : [];
  }
  return Object.entries(state.tabs)
    .filter(([, tab]) => tab.page.conversation === conversation)
    .map(([id, tab]) => [Number(id), tab]);
}

/** Known to be idle, known to hold no draft, no card waits. Unknown is not quiet. */
export const isQuiet = ({ state }: Tab): boolean => state.busy === false && state.draft === false && !state.card;
