/** The adapters and the one way to send, put into a stand-in's page as its page script would hold them. */
import { interceptSubmits } from '../../../extension/content/bridge/submits.ts';
import { deliver } from '../../../extension/content/deliver.ts';
import { watchSubmits } from '../../../extension/content/listen.ts';
import type { DeliveryOutcome } from '../../../extension/messages.ts';
import type { SiteAdapter } from '../../../extension/site/index.ts';
import { claude } from '../../../extension/sites/claude/index.ts';
import { deepseek } from '../../../extension/sites/deepseek/index.ts';
import { gemini } from '../../../extension/sites/gemini/index.ts';
import { grok } from '../../../extension/sites/grok/index.ts';
import { zai } from '../../../extension/sites/zai/index.ts';

declare global {
  interface Window {
    site: {
      adapter: SiteAdapter;
      never: AbortSignal;
      /** Claims are granted. The clock's pauses really take at most `pauseMs`: what never comes is waited for no longer. */
      deliver(text: string, pauseMs: number): Promise<DeliveryOutcome>;
      /** What a person's presses of Send are taken for from now on: seen, and taken over before the page has them. */
      listen(): { seen: number; taken: string[] };
    };
  }
}

const MAKE = {
  'claude.ai': claude,
  'gemini.google.com': gemini,
  'grok.com': grok,
  'chat.z.ai': zai,
  'chat.deepseek.com': deepseek,
} as const;

const never = new AbortController().signal;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const make = MAKE[location.hostname as keyof typeof MAKE];
const adapter = make({
  document,
  address: () => new URL(location.href),
  ask: (path, init) => fetch(path, init),
  pause,
});
let now = 0;

window.site = {
  adapter,
  never,
  listen() {
    const heard = { seen: 0, taken: [] as string[] };
    interceptSubmits({
      ...{ adapter, isActive: () => true, ours: () => null, ended: never },
      submitted: (text) => void heard.taken.push(text),
    });
    watchSubmits(
      adapter,
      () => {
        heard.seen += 1;
      },
      () => false,
      never,
    );
    return heard;
  },
  deliver: (text, pauseMs) =>
    deliver(
      {
        adapter,
        clock: {
          now: () => now,
          pause(ms) {
            now += ms;
            return pause(Math.min(ms, pauseMs));
          },
          every() {},
        },
        ended: never,
        page: () => adapter.identity(),
        claim: async () => ({ ok: true, value: null }),
        pressing() {},
      },
      adapter.identity()?.conversation ?? '',
      { text, waitMs: 0, connector: null },
    ),
};
