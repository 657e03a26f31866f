/** A link as unkind as the real thing: it says what the test tells it to say, when the test tells it to. */
import type { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import { CURRENT_RUNTIME, type FrozenContract, RUNTIME_EPOCHS } from '../../../contract/epochs/index.ts';
import {
  AUTH_SUBPROTOCOL_PREFIX,
  decodeFrame,
  encodeFrame,
  type FrameHeader,
  type FrameOf,
  LINK_PROTOCOL,
  LINK_SUBPROTOCOL,
  type RuntimeFacts,
  resultFrames,
} from '../../../contract/link/index.ts';
import { ask, type Device } from '../auth/harness.ts';

export interface ReceivedCall {
  call: CallEnvelope;
  args: Record<string, unknown>;
}

export interface HelloOptions {
  bootId?: string;
  holds?: FrameOf<'hello'>['holds'];
  runtime?: RuntimeFacts | null;
  protocol?: number;
}

export function runtimeFacts(contract: FrozenContract = CURRENT_RUNTIME): RuntimeFacts {
  return {
    version: '0.1.0',
    generation: 'a',
    boot_id: 'boot-runtime',
    contract_epoch: contract.epoch,
    contract_hash: contract.hash,
    herdr_version: '0.8.0',
    herdr_protocol: 19,
  };
}

export { RUNTIME_EPOCHS };

/** How long a test waits for something that must come, ms. Only a failure takes that long. */
const PATIENCE_MS = 10_000;

export class FakeLink {
  readonly socket: WebSocket;
  readonly frames: Array<{ header: FrameHeader; payload: Uint8Array }> = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | undefined;
  /** Answers calls by itself when set. */
  onCall: ((received: ReceivedCall, link: FakeLink) => void) | undefined;
  /** What the ledger behind this link says of a write in doubt. */
  onSettle: (dispatchId: string, link: FakeLink) => void = (id, link) => link.verdict(id, 'unknown');
  #wake: Array<() => void> = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#message(data));
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason };
      this.#changed();
    });
    socket.accept();
  }

  /** A socket that has said nothing yet. */
  static async open(device: Device): Promise<FakeLink> {
    const response = await ask('/ws', {
      headers: {
        upgrade: 'websocket',
        'sec-websocket-protocol': `${LINK_SUBPROTOCOL}, ${AUTH_SUBPROTOCOL_PREFIX}${await device.token()}`,
      },
    });
    if (!response.webSocket) throw new Error(`upgrade: ${response.status} ${await response.text()}`);
    return new FakeLink(response.webSocket);
  }

  /** A link that has been welcomed. */
  static async connect(device: Device, options: HelloOptions = {}): Promise<FakeLink> {
    const link = await FakeLink.open(device);
    await link.hello(options);
    return link;
  }

  async hello(options: HelloOptions = {}): Promise<FrameOf<'welcome'>> {
    const before = this.of('welcome').length;
    const runtime = options.runtime === undefined ? runtimeFacts() : options.runtime;
    this.send({
      kind: 'hello',
      protocol: options.protocol ?? LINK_PROTOCOL,
      boot_id: options.bootId ?? 'boot-1',
      link_version: '0.1.0',
      ...(runtime === null ? {} : { runtime }),
      holds: options.holds ?? [],
    });
    await this.until(() => this.of('welcome').length > before, 'a welcome');
    return this.of('welcome').at(-1) as FrameOf<'welcome'>;
  }

  send(header: FrameHeader, payload?: Uint8Array): void {
    this.socket.send(encodeFrame(header, payload));
  }

  sendRaw(bytes: Uint8Array | string): void {
    this.socket.send(bytes);
  }

  of<Kind extends FrameHeader['kind']>(kind: Kind): Array<FrameOf<Kind>> {
    return this.frames.flatMap(({ header }) => (header.kind === kind ? [header as FrameOf<Kind>] : []));
  }

  get calls(): ReceivedCall[] {
    return this.frames.flatMap(({ header, payload }) =>
      header.kind === 'call'
        ? [{ call: header.call, args: JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown> }]
        : [],
    );
  }

  get acked(): string[] {
    return this.of('ack').flatMap((frame) => frame.dispatch_ids);
  }

  async nextCall(count = 1): Promise<ReceivedCall> {
    await this.until(() => this.calls.length >= count, `call number ${count}`);
    return this.calls[count - 1] as ReceivedCall;
  }

  /** Sends a finished result, in as many frames as it takes. */
  answer(dispatchId: string, body: Uint8Array, envelope: Partial<ResultEnvelope> = {}): void {
    const result = resultOf(dispatchId, body, envelope);
    for (const frame of resultFrames(result, body)) this.socket.send(frame);
  }

  /** The ledger's word on a write in doubt. */
  verdict(dispatchId: string, delivery: 'unknown' | 'not_delivered'): void {
    const said = { ok: false, code: 'interrupted', delivery, retryable: delivery === 'not_delivered' };
    this.answer(dispatchId, toolResult(said), { ok: false, code: 'interrupted', delivery });
  }

  /** Cuts the connection as a network does: with a code that means nothing. */
  async cut(): Promise<void> {
    this.socket.close(1001, 'cut');
    await this.until(() => this.closed !== undefined, 'the close');
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`waited in vain for ${what}; got ${JSON.stringify(this.frames.map((f) => f.header))}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 100));
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #message(data: string | ArrayBuffer | Blob): void {
    if (typeof data === 'string') this.texts.push(data);
    else {
      const frame = decodeFrame(new Uint8Array(data as ArrayBuffer));
      if (!frame.ok) throw new Error(`the edge sent a bad frame: ${frame.message}`);
      this.frames.push({ header: frame.header, payload: frame.payload });
      if (frame.header.kind === 'call' && this.onCall) {
        this.onCall(this.calls.at(-1) as ReceivedCall, this);
      }
      if (frame.header.kind === 'settle') this.onSettle(frame.header.dispatch_id, this);
    }
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

export function resultOf(dispatchId: string, body: Uint8Array, envelope: Partial<ResultEnvelope> = {}): ResultEnvelope {
  return {
    dispatch_id: dispatchId,
    delivery: 'delivered',
    ok: true,
    size: body.byteLength,
    runtime_ms: 1.5,
    ...envelope,
  };
}

/** A tool result as the runtime writes it. */
export function toolResult(body: Record<string, unknown>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify(body) }] }));
}
