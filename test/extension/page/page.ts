/** A page whose person, site or extension does something at one moment of a delivery. */
import type { Clock } from '../../../extension/content/clock.ts';
import { deliver } from '../../../extension/content/deliver.ts';
import { sameText } from '../../../extension/machines/page/index.ts';
import type { Answer, Reason } from '../../../extension/messages.ts';
import type { Message, SiteAdapter } from '../../../extension/site/index.ts';
import { CHAT, chat } from '../worker/chat.ts';

const MARK = { salt: 's', digest: 'd' };
export const WAKE = 'The work has settled.\n\nRead it.';

export type At = 'looking' | 'inserting' | 'inserted' | 'claiming' | 'claimed';

/** A page whose person, site or extension does `act` at one moment of a delivery. */
export function page(
  at: At | null,
  act: (it: Composer) => void,
  claim: Answer<null> = { ok: true, value: null },
  account: readonly (Reason | null)[] = [],
  wentOnElsewhere?: () => Promise<boolean>,
) {
  const ended = new AbortController();
  const control = {} as HTMLElement;
  const it: Composer = {
    draft: '',
    place: CHAT,
    card: false,
    send: true,
    streaming: false,
    attached: false,
    chatMode: true,
    sleepy: false,
    end: () => ended.abort(),
    enter() {
      if (it.draft !== '') turns.push({ role: 'user', id: `u${turns.length}`, text: it.draft });
      it.draft = '';
    },
    sleep: (ms) => {
      now += ms;
    },
  };
  const turns: Message[] = [{ role: 'user', id: 'u0', text: 'hello' }];
  const coming: Message[] = [];
  const pressed: string[] = [];
  let now = 0;
  const looks = [...account];
  const moment = (reached: At) => (reached === at ? act(it) : undefined);
  const look = <T>(found: T) => ({ found });
  const none = { found: null, why: 'missing' } as const;
  const adapter: SiteAdapter = {
    site: 'chatgpt',
    identity: () => chat(it.place),
    membership: () => Promise.resolve('none'),
    composer: () => look(control),
    draft: () => look(it.draft),
    attached: () => it.attached,
    insert(text) {
      moment('inserting');
      if (it.draft === '') it.draft = text;
      moment('inserted');
      return Promise.resolve(look(it.draft));
    },
    clear(text) {
      if (sameText(it.draft, text)) it.draft = '';
      return Promise.resolve(it.draft === '');
    },
    send: () => (it.send && it.draft !== '' ? look(control) : none),
    stop: () => none,
    press() {
      pressed.push(it.draft);
      const turn: Message = { role: 'user', id: `u${turns.length}`, text: it.draft };
      if (it.sleepy) coming.push(turn);
      else turns.push(turn);
      it.draft = '';
    },
    queuePlace: () => none,
    messages: () => look({ mounted: [...turns], turnsSeen: turns.length }),
    streaming: () => look(it.streaming),
    toolRunning: () => look(false),
    permissionCards: () => [],
    cardWaiting: () => it.card,
    connector: () => none,
    selectConnector: () => Promise.resolve(none),
    chatMode: () => Promise.resolve(it.chatMode ? look(true as const) : none),
    snapshot: () => Promise.resolve(none),
  };
  const clock: Clock = {
    now: () => now,
    pause: (ms) => {
      now += it.sleepy ? 60_000 : ms;
      turns.push(...coming.splice(0));
      return Promise.resolve();
    },
    every: () => undefined,
  };
  const run = () =>
    deliver(
      {
        adapter,
        clock,
        ended: ended.signal,
        page: () => chat(it.place),
        claim: () => {
          moment('claiming');
          const answer = Promise.resolve(claim);
          moment('claimed');
          return answer;
        },
        pressing: () => undefined,
        ...(wentOnElsewhere ? { wentOnElsewhere } : {}),
        accountObjection: async () => {
          moment('looking');
          return looks.shift() ?? null;
        },
      },
      CHAT,
      { text: WAKE, waitMs: 1_000, connector: null, ...(account.length > 0 ? { account: MARK } : {}) },
    );
  return { it, pressed, run };
}

export interface Composer {
  draft: string;
  place: string;
  card: boolean;
  send: boolean;
  streaming: boolean;
  attached: boolean;
  chatMode: boolean;
  /** Each pause takes a minute, and the page draws what was sent only then. */
  sleepy: boolean;
  end(): void;
  /** The person's own Enter. */
  enter(): void;
  sleep(ms: number): void;
}
