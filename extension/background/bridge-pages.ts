/**
 * What pages of the bridge's sites ask. A page speaks only for the conversation that the browser itself says its tab shows,
 * and only while the site is switched on; which tools there are is asked of the runtime, never of the page.
 */

import { isObject } from '../../contract/json.ts';
import { body, intro, LOOP_ID, markLine } from '../machines/bridge/index.ts';
import type { Event, From, Reply } from '../machines/worker/index.ts';
import type { Answer, BridgeControl, BridgeTurn, PageAsks, Reason } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { POLICIES } from '../policy.ts';
import { deepseekAddress } from '../sites/deepseek/index.ts';
import { zaiAddress } from '../sites/zai/index.ts';
import type { BridgeDoor } from './bridge.ts';

export interface BridgePageParts {
  take(event: Event): Promise<Reply>;
  bridge: Pick<BridgeDoor, 'catalogue'>;
}

const KINDS = [
  'bridge.launch',
  'bridge.claim',
  'bridge.say',
  'bridge.turn',
  'bridge.unnamed',
  'bridge.control',
] as const;
type Kind = (typeof KINDS)[number];
export type BridgeAsk = { [K in Kind]: { kind: K; body: PageAsks[K]['ask'] } }[Kind];

export const isBridgeAsk = (given: { kind: string }): given is BridgeAsk => KINDS.some((kind) => kind === given.kind);

const refuse = (reason: Reason): Answer<never> => ({ ok: false, reason });
const plain = (reply: Reply): Answer<null> => (reply.ok ? { ok: true, value: null } : reply);

/** `shown` is the tab's address as the browser gives it. */
export async function answerBridge(
  parts: BridgePageParts,
  from: From,
  given: BridgeAsk,
  shown: string,
): Promise<Answer<string | null>> {
  const { page } = from;
  const { site, conversation } = page;
  if (!POLICIES[site].bridge) return refuse('bridge_off');
  if (!isShown(page, shown)) return refuse('conversation_changed');
  if (given.kind === 'bridge.launch') return launch(parts, from, given.body);
  if (given.kind === 'bridge.claim') {
    return plain(await parts.take({ type: 'bridge', event: { type: 'launch_claim', id: given.body.id }, from }));
  }
  if (conversation === null) return refuse('conversation_required');
  switch (given.kind) {
    case 'bridge.say': {
      const { entry, loop, text } = given.body;
      if (!LOOP_ID.test(loop) || !ENTRY.test(entry) || typeof text !== 'string') return refuse('unknown_message');
      const catalogue = await parts.bridge.catalogue();
      if (catalogue === null) return refuse('runtime_unavailable');
      const event = { type: 'say' as const, site, conversation, entry, loop, text, catalogue };
      return plain(await parts.take({ type: 'bridge', event, from }));
    }
    case 'bridge.turn': {
      const turn = readTurn(given.body);
      if (turn === null) return refuse('unknown_message');
      const catalogue = turn.reply === null ? null : await parts.bridge.catalogue();
      return plain(
        await parts.take({ type: 'bridge', event: { type: 'turn', site, conversation, turn, catalogue }, from }),
      );
    }
    case 'bridge.unnamed':
      return plain(await parts.take({ type: 'bridge', event: { type: 'unnamed', conversation }, from }));
    case 'bridge.control': {
      const what = CONTROLS.find((one) => one === given.body.what);
      if (what === undefined) return refuse('unknown_message');
      return plain(await parts.take({ type: 'bridge', event: { type: 'control', site, conversation, what }, from }));
    }
  }
}

const ENTRY = /^be:[0-9a-f-]{36}$/;
const CONTROLS: readonly BridgeControl[] = ['stop', 'resume', 'extend', 'post_again', 'on', 'off'];

async function launch(
  { take, bridge }: BridgePageParts,
  from: From,
  { id, text }: PageAsks['bridge.launch']['ask'],
): Promise<Answer<string>> {
  const { site, place } = from.page;
  if (place !== 'root') return refuse('conversation_changed');
  if (!LOOP_ID.test(id) || typeof text !== 'string') return refuse('unknown_message');
  if (text.trim() === '') return refuse('empty_text');
  const catalogue = await bridge.catalogue();
  if (catalogue === null) return refuse('runtime_unavailable');
  const reply = await take({ type: 'bridge', event: { type: 'launch', site, id, catalogue }, from });
  if (!reply.ok) return reply;
  const message = body({ intro: intro(catalogue), results: null, said: [text] });
  return { ok: true, value: `${markLine({ loop: id, n: 1 })}\n${message}` };
}

function readTurn(given: unknown): BridgeTurn | null {
  if (!isObject(given)) return null;
  const { loop, n, reply } = given;
  if (typeof loop !== 'string' || !LOOP_ID.test(loop) || !Number.isSafeInteger(n)) return null;
  const turn = { loop, n: Number(n) };
  if (reply === null) return { ...turn, reply };
  if (!isObject(reply) || typeof reply['text'] !== 'string') return null;
  const { text, message } = reply;
  return { ...turn, reply: { text, message: typeof message === 'string' ? message : null } };
}

/** Tab and bare origin never stand in for a conversation: its own address names it, or it has no identity. */
function isShown({ site, place, conversation }: PageIdentity, shown: string): boolean {
  const url = URL.parse(shown);
  const read = site === 'zai' ? zaiAddress : deepseekAddress;
  const address = url === null ? null : read(url);
  return address !== null && address.place === place && address.conversation === conversation;
}
