/** An act in every phase, everything that may happen to it, and every state of its tab. */
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import type { Operation } from '../../../contract/browser/dispatch.ts';
import type { Actuation, ActuationEvent, Facts } from '../../../extension/machines/actuation/index.ts';

export const NOW = 1_764_500_000_000;
export const ID = `ba_${'1'.repeat(16)}`;
export const CHAT = 'https://chatgpt.com/c/11111111-aaaa';
export const REF = `br_${'a'.repeat(64)}`;
export const ACCOUNT = `br_${'c'.repeat(64)}`;
const SPACE = `br_${'d'.repeat(64)}`;
export const HOME = 'https://chatgpt.com/g/g-p-0123456789abcdef0123456789abcdef';
export const MARK = { salt: 's', digest: 'd' };

export const command = (operation: Operation): ActuationCommand => ({
  protocol: 'herdr-browser-actuation/v1',
  actuation_id: ID,
  dispatch_id: `bd_${'2'.repeat(64)}`,
  operation,
  provider: 'chatgpt',
  expected_generation: 3,
  account_ref: ACCOUNT,
  session: operation === 'session.create' ? null : { session_ref: REF, canonical_url: CHAT },
  space: operation === 'session.archive' ? { space_ref: SPACE, canonical_url: HOME } : null,
  source_url: null,
  message: operation === 'session.create' || operation === 'composer.submit' ? 'Go on.' : null,
});

export const PHASES: readonly Actuation['phase'][] = [
  'claiming',
  'opening',
  'loading',
  'deferring',
  'checking',
  'sending',
  'pressing',
  'proving',
  'closing',
  'showing',
  'naming',
  'reporting',
  'doubting',
];
export const at = (phase: Actuation['phase'], operation: Operation, openings: number): Actuation => ({
  id: ID,
  claimant: 'life:1',
  phase,
  command: phase === 'claiming' ? null : command(operation),
  tab: phase === 'claiming' || phase === 'opening' ? null : 9,
  openings,
  account: null,
  deferred: null,
  evidence:
    phase === 'proving' || phase === 'closing' || phase === 'naming' || phase === 'reporting' || phase === 'doubting'
      ? {
          observed_generation: 3,
          command_accepted: phase === 'doubting' ? null : true,
          accepted_message_ref: 'm1',
          canonical_url: CHAT,
          ...(phase === 'closing' ? { lifecycle: 'archived', session_ref: REF } : {}),
        }
      : null,
  createdAt: NOW,
  since: NOW,
  askedAt: NOW,
});

export const eventsOf = (operation: Operation): Record<string, ActuationEvent> => ({
  claimed: { type: 'claimed', command: command(operation) },
  objected: { type: 'claimed', command: command(operation), objection: 'workspace_busy' },
  taken: { type: 'claimed', command: null },
  nobody: { type: 'claimed', command: 'unknown' },
  opened: { type: 'opened', tab: 9 },
  notOpened: { type: 'opened', tab: null },
  confirmed: { type: 'checked', answer: 'confirmed', account: MARK },
  busy: { type: 'checked', answer: 'later', account: MARK },
  forbidden: { type: 'checked', answer: 'over', account: MARK },
  forbiddenSince: { type: 'checked', answer: 'refused', reason: 'consent_withdrawn', account: null },
  confirmedForNobody: { type: 'checked', answer: 'confirmed', account: null },
  proved: { type: 'proved', done: true },
  unproved: { type: 'proved', done: null },
  sent: { type: 'delivered', as: 'sent', reason: null, messageId: 'm1', conversation: CHAT },
  sentUnnamed: { type: 'delivered', as: 'sent', reason: null, messageId: null, conversation: null },
  blocked: { type: 'delivered', as: 'blocked', reason: 'user_typing', messageId: null, conversation: null },
  doubted: { type: 'delivered', as: 'uncertain', reason: 'delivery_uncertain', messageId: null, conversation: null },
  pressed: { type: 'pressed', pressed: true, stopped: true, reason: null },
  notPressed: { type: 'pressed', pressed: false, stopped: false, reason: 'page_unreadable' },
  pressLost: { type: 'pressed', pressed: null, stopped: false, reason: 'page_gone' },
  closed: { type: 'put_away', tab: 'closed' },
  inUse: { type: 'put_away', tab: 'kept_in_use' },
  named: { type: 'named', ref: REF, generation: 3, message: 'm1' },
  unnamed: { type: 'named', ref: null, generation: null, message: null },
  told: { type: 'reported', answer: 'told' },
  over: { type: 'reported', answer: 'over' },
  untold: { type: 'reported', answer: null },
  look: { type: 'look' },
  restarted: { type: 'restarted' },
});
export const FACTS: Record<string, Facts> = {
  ready: { now: NOW + 1_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: true },
  turn: { now: NOW + 1_000, tab: 'loading', open: 9, conversation: CHAT, unquiet: 'turn_in_progress', visible: true },
  loading: { now: NOW + 1_000, tab: 'loading', open: null, conversation: null, unquiet: null, visible: true },
  elsewhere: { now: NOW + 30_000, tab: 'elsewhere', open: null, conversation: null, unquiet: null, visible: true },
  gone: { now: NOW + 30_000, tab: 'gone', open: null, conversation: null, unquiet: null, visible: true },
  long: { now: NOW + 300_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: true },
  several: { now: NOW + 1_000, tab: 'ready', open: 'several', conversation: CHAT, unquiet: null, visible: true },
  hidden: { now: NOW + 1_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: false },
  clockBack: { now: NOW - 300_000, tab: 'loading', open: null, conversation: null, unquiet: null, visible: true },
};
