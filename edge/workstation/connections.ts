/**
 * The device's sockets. At most one is active; what is known of each lives in its attachment, so that a woken or
 * restarted object finds everything again (cloudflare/agents#1239).
 */
import { PEER_SILENT_MS, PING_INTERVAL_MS } from '../../contract/limits.ts';
import { CLOSE, encodeFrame, type FrameHeader, type RuntimeFacts } from '../../contract/link/index.ts';
import { judgeSilence } from './decide.ts';
import type { SentTo } from './receipts.ts';

/** What a socket carries through hibernation; far below the platform's 16 KiB. */
export interface Attachment {
  connectionId: string;
  /** `new` until its hello, `active` for the one that serves, `replaced` for ever after. */
  role: 'new' | 'active' | 'replaced';
  /** When the upgrade was accepted: what "newest" goes by. */
  sinceMs: number;
  bootId?: string | undefined;
  linkVersion?: string | undefined;
  runtime?: RuntimeFacts | undefined;
  /** Since when its hellos name no runtime. */
  runtimeGoneAtMs?: number | undefined;
  draining?: boolean | undefined;
}

/** The link that serves now. */
export interface Link {
  readonly socket: WebSocket;
  readonly connectionId: string;
  readonly connectedAtMs: number;
  bootId: string;
  linkVersion: string;
  runtime: RuntimeFacts | undefined;
  /** When a runtime was last there, while none is. */
  runtimeGoneAtMs: number | undefined;
  draining: boolean;
  lastFrameAtMs: number;
  /** What its last hello listed. `undefined` when this object was restarted since: then nobody here knows. */
  holds: ReadonlySet<string> | undefined;
}

const OPEN = 1;

export class Connections {
  readonly #ctx: DurableObjectState;
  readonly #lost: (link: Link, code: number) => void;
  #active: Link | undefined;

  /** `lost` hears of the serving link's end, once, whoever noticed it. */
  constructor(ctx: DurableObjectState, lost: (link: Link, code: number) => void) {
    this.#ctx = ctx;
    this.#lost = lost;
    let newest: { socket: WebSocket; attachment: Attachment } | undefined;
    for (const socket of ctx.getWebSockets()) {
      const attachment = attachmentOf(socket);
      if (attachment?.role !== 'active' || socket.readyState !== OPEN) continue;
      if (newest === undefined || attachment.sinceMs > newest.attachment.sinceMs) newest = { socket, attachment };
    }
    if (newest) this.#active = revive(newest.socket, newest.attachment);
  }

  /** Takes a new socket in. It serves nothing before its hello. */
  accept(socket: WebSocket, connectionId: string, nowMs: number): void {
    this.#ctx.acceptWebSocket(socket);
    socket.serializeAttachment({ connectionId, role: 'new', sinceMs: nowMs } satisfies Attachment);
  }

  /** The serving link, whether or not it can still be heard. */
  get active(): Link | undefined {
    return this.#active;
  }

  /** The serving link if it gave a sign of life lately; a silent one is dropped, so that it counts as gone from here on. */
  heard(nowMs: number): { link: Link | undefined; lastSeenAtMs: number | undefined } {
    const link = this.#active;
    if (!link) return { link: undefined, lastSeenAtMs: undefined };
    const { lastSeenAtMs, silent } = this.silence(link, nowMs);
    return silent ? { link: undefined, lastSeenAtMs } : { link, lastSeenAtMs };
  }

  silence(link: Link, nowMs: number): { lastSeenAtMs: number; silent: boolean } {
    // A frame came lately: no need to ask the platform when the last ping did.
    if (nowMs - link.lastFrameAtMs < PING_INTERVAL_MS) return { lastSeenAtMs: link.lastFrameAtMs, silent: false };
    return judgeSilence({
      connectedAtMs: link.connectedAtMs,
      lastPingAtMs: this.#ctx.getWebSocketAutoResponseTimestamp(link.socket)?.getTime(),
      lastFrameAtMs: link.lastFrameAtMs,
      nowMs,
      limitMs: PEER_SILENT_MS,
    });
  }

  /** Whether a newer socket serves already: a hello that comes late over an older one displaces nobody. */
  isOutdated(socket: WebSocket): boolean {
    const active = this.#active;
    return (
      active !== undefined && active.socket !== socket && isNewer(attachmentOf(active.socket), attachmentOf(socket))
    );
  }

  /** Makes a socket the serving one after its hello; every older one is told that it was replaced and never heard again. */
  activate(
    socket: WebSocket,
    facts: Pick<Attachment, 'bootId' | 'linkVersion' | 'runtime'>,
    holds: Set<string>,
    nowMs: number,
  ): Link {
    const known = attachmentOf(socket);
    const attachment: Attachment = {
      connectionId: known?.connectionId ?? crypto.randomUUID(),
      role: 'active',
      sinceMs: known?.sinceMs ?? nowMs,
      ...(known?.draining ? { draining: true } : {}),
      ...(facts.runtime ? {} : { runtimeGoneAtMs: known?.runtimeGoneAtMs ?? nowMs }),
      ...facts,
    };
    for (const other of this.#ctx.getWebSockets()) {
      if (other === socket || isNewer(attachmentOf(other), attachment)) continue;
      this.#retire(other, CLOSE.replaced, 'a newer link of this device took over');
    }
    socket.serializeAttachment(attachment);
    const link = revive(socket, attachment);
    link.lastFrameAtMs = nowMs;
    link.holds = holds;
    this.#active = link;
    return link;
  }

  drain(link: Link): void {
    link.draining = true;
    const attachment = attachmentOf(link.socket);
    if (attachment) link.socket.serializeAttachment({ ...attachment, draining: true } satisfies Attachment);
  }

  /** A close frame arrived. Late events of any socket but the serving one change nothing. */
  closed(socket: WebSocket, code: number): void {
    const link = this.#active;
    if (link?.socket !== socket) return;
    this.#active = undefined;
    this.#lost(link, code);
  }

  /** Closes the serving link and forgets it at once: its close event comes late or never. */
  drop(link: Link, code: number, reason: string): void {
    this.#retire(link.socket, code, reason);
    if (this.#active !== link) return;
    this.#active = undefined;
    this.#lost(link, code);
  }

  closeAll(code: number, reason: string): void {
    if (this.#active) this.drop(this.#active, code, reason);
    for (const socket of this.#ctx.getWebSockets()) this.#retire(socket, code, reason);
  }

  /** Sockets that came at `limitAtMs` or before and still owe their hello. */
  newcomers(limitAtMs: number): WebSocket[] {
    return this.#ctx.getWebSockets().filter((socket) => {
      const attachment = attachmentOf(socket);
      return attachment?.role === 'new' && attachment.sinceMs <= limitAtMs && socket.readyState === OPEN;
    });
  }

  #retire(socket: WebSocket, code: number, reason: string): void {
    const attachment = attachmentOf(socket);
    if (attachment) socket.serializeAttachment({ ...attachment, role: 'replaced' } satisfies Attachment);
    close(socket, code, reason);
  }
}

function isNewer(one: Attachment | undefined, other: Attachment | undefined): boolean {
  return one !== undefined && other !== undefined && one.role !== 'replaced' && one.sinceMs > other.sinceMs;
}

/** Where a call goes that is sent over this link now. */
export function sentOver({ connectionId, bootId, runtime }: Link): SentTo {
  return { connectionId, bootId, ...(runtime ? { runtimeBootId: runtime.boot_id } : {}) };
}

export function attachmentOf(socket: WebSocket): Attachment | undefined {
  return (socket.deserializeAttachment() as Attachment | null) ?? undefined;
}

/** Closes a socket; one that is gone already is what we want. */
export function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // Already closed by the peer: there is nobody left to tell.
  }
}

/** Whether the frame was taken by the socket. A socket that throws has taken nothing. */
export function send(socket: WebSocket, header: FrameHeader, payload?: Uint8Array): boolean {
  return sendBytes(socket, encodeFrame(header, payload));
}

export function sendBytes(socket: WebSocket, frame: Uint8Array<ArrayBuffer>): boolean {
  if (socket.readyState !== OPEN) return false;
  try {
    socket.send(frame);
    return true;
  } catch {
    return false;
  }
}

function revive(socket: WebSocket, attachment: Attachment): Link {
  return {
    socket,
    connectionId: attachment.connectionId,
    connectedAtMs: attachment.sinceMs,
    bootId: attachment.bootId ?? '',
    linkVersion: attachment.linkVersion ?? '',
    runtime: attachment.runtime,
    runtimeGoneAtMs: attachment.runtimeGoneAtMs,
    draining: attachment.draining ?? false,
    lastFrameAtMs: attachment.sinceMs,
    holds: undefined,
  };
}
