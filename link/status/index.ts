/** The observed state of the link in `link-status.json`: written by the link on change, read by everybody else. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { RuntimeFacts } from '../../contract/link/index.ts';
import { lockHolder, readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import type { Log } from '../../local/log/index.ts';
import { statePaths } from '../../local/paths/index.ts';

export const LinkState = Type.Union([
  Type.Literal('connecting'),
  /** A round trip through the edge's object succeeded. */
  Type.Literal('connected'),
  /** Between two tries. */
  Type.Literal('reconnecting'),
  /** Replaced by a newer link of the same device. */
  Type.Literal('parked'),
  /** The edge does not accept the active runtime's contract. */
  Type.Literal('awaiting_promotion'),
  /** Refused for a reason that only a person can change. */
  Type.Literal('refused'),
  /** For good: pair again. */
  Type.Literal('revoked'),
  Type.Literal('draining'),
  Type.Literal('stopped'),
]);
export type LinkState = Static<typeof LinkState>;

export const LinkStatus = Type.Object({
  v: Type.Literal(1),
  pid: Type.Integer(),
  boot_id: Type.String(),
  link_version: Type.String(),
  device_id: Type.String(),
  device_name: Type.String(),
  edge_origin: Type.String(),
  state: LinkState,
  /** Why it is in this state, one sentence. */
  why: Type.String(),
  /** Since when, ms since 1970. */
  since_ms: Type.Integer(),
  /** When it tries again by itself. */
  next_try_ms: Type.Optional(Type.Integer()),
  edge_version: Type.Optional(Type.String()),
  /** The active runtime as announced to the edge. */
  runtime: Type.Optional(RuntimeFacts),
  /** The edge's clock minus this machine's at the last welcome; `doctor` names a large one. */
  clock_difference_ms: Type.Optional(Type.Integer()),
  /** What is added to this machine's clock in tokens, because the edge said that it is wrong. */
  clock_offset_ms: Type.Optional(Type.Integer()),
});
export type LinkStatus = Static<typeof LinkStatus>;

export type LinkReport =
  /** `held_by` is the living process. */
  | { running: true; held_by: { pid: number }; status: LinkStatus | undefined }
  /** `status` is what the last process left, if any. */
  | { running: false; status: LinkStatus | undefined };

/**
 * What the link of a state folder does now. Whether it runs is read from its lock, never from the file: a killed link
 * cannot take back that it was connected. Throws a `LocalError` when the file is not private.
 */
export async function readLinkStatus(stateDir: string): Promise<LinkReport> {
  const paths = statePaths(stateDir);
  const bytes = await readPrivateFile(paths.linkStatus);
  const status = bytes === undefined ? undefined : parse(bytes.toString('utf8'));
  const holder = lockHolder(paths.linkLock);
  return holder === undefined ? { running: false, status } : { running: true, held_by: { pid: holder.pid }, status };
}

function parse(text: string): LinkStatus | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(LinkStatus, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the status on change only, one write at a time; of several changes meanwhile only the last is written. */
export class StatusFile {
  readonly #path: string;
  readonly #log: Log;
  #wanted: LinkStatus | undefined;
  #written = '';
  #writing: Promise<void> | undefined;

  constructor(stateDir: string, log: Log) {
    this.#path = statePaths(stateDir).linkStatus;
    this.#log = log;
  }

  show(status: LinkStatus): void {
    this.#wanted = status;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the last status shown is on disk. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#wanted !== undefined) {
      const text = `${JSON.stringify(this.#wanted, null, 2)}\n`;
      this.#wanted = undefined;
      if (text === this.#written) continue;
      try {
        await writeAtomic(this.#path, text);
        this.#written = text;
      } catch (error) {
        // A full disk must not end a link that works; the next change tries again.
        this.#log.error({ err: error }, 'the status could not be written');
      }
    }
  }
}
