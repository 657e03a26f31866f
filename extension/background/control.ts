/**
 * The Side Panel's ear and hand. A panel that opens gets the whole state once and then the events as they come; nobody
 * polls. What a person does goes out once; when its answer is lost that is said, and nothing is sent again here.
 */
import {
  type ControlAnswer,
  type ControlRequest,
  type ControlTarget,
  type FleetAnswer,
  type LookupAnswer,
  type PictureEvent,
  type PushState,
  readPushState,
  type WatchRequest,
} from '../../contract/control/index.ts';
import { EXTENSION_ROUTE } from '../../contract/extension/index.ts';
import { isObject } from '../../contract/json.ts';
import type { ToPanel } from '../panel.ts';
import { REQUEST_MS } from './limits.ts';
import { type NativeAnswer, type NativePort, NEVER_PASSED_ON } from './native.ts';

/** A port to one open panel, as far as it is used. */
export interface PanelPort {
  postMessage(message: ToPanel): void;
  onDisconnect: { addListener(act: () => void): void };
}

export interface Control {
  attach(port: PanelPort): void;
  /** An event of the stream. */
  heard(event: PictureEvent): void;
  /** The stream has begun anew: what was missed is in the state. */
  greeted(): void;
  fleet(): Promise<FleetAnswer | null>;
  act(request: ControlRequest): Promise<ControlAnswer>;
  /** What a method of Herdr would do at most. Null: nobody could be asked. */
  describe(target: ControlTarget, method: string): Promise<ControlAnswer | null>;
  /** Null: nobody could be asked. */
  lookup(key: string): Promise<LookupAnswer | null>;
  watch(request: WatchRequest): Promise<boolean>;
}

export function createControl(native: Pick<NativePort, 'request' | 'connect'>): Control {
  const ports = new Set<PanelPort>();
  /** Told that nobody answers, because the answer did not come in time. */
  const lost = new Set<PanelPort>();
  let asking: Promise<PushState | 'late' | null> | undefined;

  /** One question for all who wait for it. */
  function state(): Promise<PushState | 'late' | null> {
    asking ??= fetchState().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function fetchState(): Promise<PushState | 'late' | null> {
    await native.connect();
    const answer = await native.request({ method: 'GET', path: '/push/state', timeoutMs: REQUEST_MS.state });
    if (!answer.ok) return answer.error === 'native_request_timeout' ? 'late' : null;
    return answer.status === 200 ? readPushState(answer.body) : null;
  }

  async function tell(to: Iterable<PanelPort>): Promise<void> {
    const now = await state();
    for (const port of to) {
      if (!ports.has(port)) continue;
      if (now === 'late') lost.add(port);
      else lost.delete(port);
      port.postMessage(now === null || now === 'late' ? { kind: 'away' } : { kind: 'state', state: now });
    }
  }

  const post = (path: string, body: unknown, timeoutMs: number) =>
    native.request({ method: 'POST', path, body, timeoutMs });

  return {
    attach(port) {
      ports.add(port);
      port.onDisconnect.addListener(() => {
        ports.delete(port);
        lost.delete(port);
      });
      void tell([port]);
    },
    heard(event) {
      for (const port of ports) port.postMessage({ kind: 'event', event });
      // Who speaks is there: what was not answered in time is asked once more, one question at a time.
      if (lost.size > 0 && asking === undefined) void tell([...lost]);
    },
    greeted() {
      if (ports.size > 0) void tell([...ports]);
    },
    async fleet() {
      const answer = await native.request({
        method: 'GET',
        path: EXTENSION_ROUTE.fleet,
        timeoutMs: REQUEST_MS.fleet,
      });
      return answer.ok && answer.status === 200 ? (answer.body as FleetAnswer) : null;
    },
    async act(request) {
      return controlAnswer(request, await post(EXTENSION_ROUTE.controlAction, request, REQUEST_MS.control));
    },
    async describe(target, method) {
      const request = { action: 'herdr_method', target, args: { method } };
      const answer = await post(EXTENSION_ROUTE.controlAction, request, REQUEST_MS.state);
      return answer.ok && answer.status === 200 ? (answer.body as ControlAnswer) : null;
    },
    async lookup(key) {
      const answer = await post(EXTENSION_ROUTE.controlLookup, { idempotency_key: key }, REQUEST_MS.state);
      return answer.ok && answer.status === 200 && isObject(answer.body) && answer.body['ok'] === true
        ? (answer.body as unknown as LookupAnswer)
        : null;
    },
    async watch(request) {
      const answer = await post(EXTENSION_ROUTE.controlWatch, request, REQUEST_MS.state);
      return answer.ok && answer.status === 200;
    },
  };
}

/** What is known of an action: the runtime's own answer, or how sure it is that there was none. */
export function controlAnswer(request: ControlRequest, answer: NativeAnswer): ControlAnswer {
  const { action, target } = request;
  const about = { action, target };
  const not = (code: string): ControlAnswer => ({
    ok: false,
    ...about,
    outcome: 'rejected',
    delivery_phase: 'not_submitted',
    code,
  });
  if (!answer.ok) {
    if (NEVER_PASSED_ON.has(answer.error)) return not(answer.error);
    return { ok: false, ...about, outcome: 'uncertain', delivery_phase: 'uncertain', code: answer.error };
  }
  const { status, body } = answer;
  if (status === 200 && isObject(body) && typeof body['outcome'] === 'string') return body as unknown as ControlAnswer;
  const said = isObject(body) && typeof body['code'] === 'string' ? body['code'] : `http_${status}`;
  // A refusal of the request itself: nothing was read out of it.
  if (status >= 400 && status < 500) return not(said);
  return { ok: false, ...about, outcome: 'uncertain', delivery_phase: 'uncertain', code: said };
}
