/** The page's side of the conversation with the service worker. A question is never left without an answer. */
import { browser } from 'wxt/browser';
import type { Answer, FromPage, FromWorker, PageAsks, Reason, WorkerAsks } from '../messages.ts';
import { PROTOCOL } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { VERSION } from '../version.ts';

export interface Talk {
  readonly document: string;
  ask<K extends keyof PageAsks>(page: PageIdentity, kind: K, body: PageAsks[K]['ask']): Promise<PageAsks[K]['answer']>;
  /** Answers the worker, until the page script is ended. */
  listen(handlers: WorkerHandlers): void;
}

export type WorkerHandlers = {
  [K in keyof WorkerAsks]: (
    body: WorkerAsks[K]['ask'],
    conversation: string | null,
  ) => WorkerAsks[K]['answer'] | Promise<WorkerAsks[K]['answer']>;
};

export function createTalk(document: string, ended: AbortSignal): Talk {
  return {
    document,
    async ask(page, kind, body) {
      const refuse = (reason: Reason): Answer<never> => ({ ok: false, reason });
      if (ended.aborted || !isOurs()) return refuse('extension_reloaded');
      const message: FromPage = { herdr: PROTOCOL, to: 'worker', version: VERSION, document, page, kind, body };
      try {
        const answer: unknown = await browser.runtime.sendMessage(message);
        return isAnswer(answer) ? answer : refuse('worker_unavailable');
      } catch {
        return refuse(isOurs() ? 'worker_unavailable' : 'extension_reloaded');
      }
    },
    listen(handlers) {
      const heard = (message: unknown, _sender: unknown, respond: (answer: unknown) => void): boolean => {
        if (!isFromWorker(message)) return false;
        if (message.version !== VERSION) {
          respond({ ok: false, reason: 'version_mismatch' } satisfies Answer<never>);
          return false;
        }
        void answer(handlers, message).then(respond);
        return true;
      };
      browser.runtime.onMessage.addListener(heard);
      ended.addEventListener('abort', () => isOurs() && browser.runtime.onMessage.removeListener(heard), {
        once: true,
      });
    },
  };
}

async function answer(handlers: WorkerHandlers, message: FromWorker): Promise<Answer<unknown>> {
  const handler = handlers[message.kind] as
    | ((body: unknown, conversation: string | null) => Answer<unknown> | Promise<Answer<unknown>>)
    | undefined;
  if (handler === undefined) return { ok: false, reason: 'unknown_message' };
  return handler(message.body, message.conversation);
}

/** After an update or a reload of the extension its old page scripts live on without it. */
function isOurs(): boolean {
  return browser.runtime?.id !== undefined;
}

function isFromWorker(message: unknown): message is FromWorker {
  if (typeof message !== 'object' || message === null) return false;
  return Reflect.get(message, 'herdr') === PROTOCOL && Reflect.get(message, 'to') === 'page';
}

function isAnswer(answer: unknown): answer is Answer<never> {
  return typeof answer === 'object' && answer !== null && typeof Reflect.get(answer, 'ok') === 'boolean';
}
