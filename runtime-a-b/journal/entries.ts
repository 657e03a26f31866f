/** Turns and evidence: appended once, numbered together, never changed. Runs inside the caller's transaction. */
import { createHash } from 'node:crypto';
import { toUSVString } from 'node:util';
import { OutcomeError } from '../../contract/outcome.ts';
import type { State } from '../state/index.ts';
import type { Chains, Growth } from './chains.ts';
import { prepareEntries } from './entry-statements.ts';
import { ENTRY_BYTES_MAX } from './limits.ts';
import type { evidence, turns } from './schema.ts';
import type { TextIndex } from './text-index.ts';

export type Turn = typeof turns.$inferSelect;
export type Evidence = typeof evidence.$inferSelect;
export type EvidenceHead = Omit<Evidence, 'content'>;
export type TurnHead = Omit<Turn, 'text'> & { hasText: boolean };
export type Role = 'user' | 'assistant';

export type NewTurn = Omit<typeof turns.$inferInsert, 'seq' | 'sha256' | 'bytes' | 'text' | 'role'> & {
  role: Role;
  text: string;
};
export type NewEvidence = Omit<typeof evidence.$inferInsert, 'seq' | 'sha256' | 'bytes'>;

/** `conflict`: the id is taken by another text or role; the first one stays. */
export type Appended = { kind: 'inserted' | 'known' | 'conflict'; seq: number };

export class Entries {
  readonly #sql: ReturnType<typeof prepareEntries>;
  readonly #chains: Chains;
  readonly #index: TextIndex;

  constructor(state: State, chains: Chains, index: TextIndex) {
    this.#sql = prepareEntries(state);
    this.#chains = chains;
    this.#index = index;
  }

  /** The number that the newest entry of the whole journal has; 0 in an empty one. */
  newestSeq(): number {
    return Math.max(this.#sql.newestTurn.get()?.seq ?? 0, this.#sql.newestEvidence.get()?.seq ?? 0);
  }

  appendTurn(turn: NewTurn): Appended {
    const sha256 = digest(turn.text);
    const known = this.#sql.turnByMessage.get({ no: turn.chainNo, message: turn.messageId });
    if (known) {
      const same = known.sha256.equals(sha256) && known.role === turn.role;
      return { kind: same ? 'known' : 'conflict', seq: known.seq };
    }
    const seq = this.newestSeq() + 1;
    const bytes = Buffer.byteLength(turn.text);
    this.#sql.insertTurn.run({ ...EMPTY_SOURCE, conversationId: '', messageRef: '', ...turn, seq, sha256, bytes });
    this.#index.add(seq, turn.chainNo, turn.text);
    this.#chains.grow(turn.chainNo, growth(turn, seq, bytes));
    return { kind: 'inserted', seq };
  }

  /** A turn whose body was reclaimed before it came here: its digest stands for it. */
  appendBodiless(turn: Omit<NewTurn, 'text'> & { sha256: Buffer; bytes: number }): Appended {
    const known = this.#sql.turnByMessage.get({ no: turn.chainNo, message: turn.messageId });
    if (known) return { kind: known.sha256.equals(turn.sha256) ? 'known' : 'conflict', seq: known.seq };
    const seq = this.newestSeq() + 1;
    this.#sql.insertTurn.run({ ...EMPTY_SOURCE, conversationId: '', messageRef: '', ...turn, seq, text: null });
    this.#chains.grow(turn.chainNo, growth(turn, seq, turn.bytes));
    return { kind: 'inserted', seq };
  }

  /** The last turn of a chain that has no body; 0 when all have one. */
  lastBodiless(chainNo: number): number {
    return this.#sql.lastBodiless.get({ no: chainNo })?.seq ?? 0;
  }

  appendEvidence(entry: NewEvidence): Appended {
    const known = this.#sql.evidenceById.get({ no: entry.chainNo, id: entry.evidenceId });
    if (known) return { kind: 'known', seq: known.seq };
    const seq = this.newestSeq() + 1;
    this.#sql.insertEvidence.run({
      ...EMPTY_SOURCE,
      ...NO_PLACE,
      ...entry,
      seq,
      sha256: digest(entry.content),
      bytes: Buffer.byteLength(entry.content),
    });
    this.#index.add(seq, entry.chainNo, entry.content);
    this.#chains.grow(entry.chainNo, {
      turns: 0,
      turnBytes: 0,
      evidence: 1,
      userSeq: 0,
      assistantSeq: 0,
      at: entry.recordedAt,
    });
    return { kind: 'inserted', seq };
  }

  turnByMessage(chainNo: number, messageId: string): TurnHead | undefined {
    return this.#sql.turnByMessage.get({ no: chainNo, message: messageId });
  }

  turn(seq: number): Turn | undefined {
    return this.#sql.turn.get({ seq });
  }

  evidenceById(chainNo: number, evidenceId: string): Evidence | undefined {
    return this.#sql.evidenceById.get({ no: chainNo, id: evidenceId });
  }

  evidence(seq: number): Evidence | undefined {
    return this.#sql.evidence.get({ seq });
  }

  /** The text of a turn; null when its body was reclaimed. */
  text(seq: number): string | null {
    return this.#sql.text.get({ seq })?.text ?? null;
  }

  /** Turns of a chain without their texts, from `seq` downwards. */
  headsDown(chainNo: number, fromSeq: number, count: number): TurnHead[] {
    return this.#sql.headsDown.all({ no: chainNo, seq: fromSeq, count });
  }

  /** Turns of a chain above a number, upwards, with their texts. */
  turnsUp(chainNo: number, afterSeq: number, count: number): Turn[] {
    return this.#sql.turnsUp.all({ no: chainNo, seq: afterSeq, count });
  }

  evidenceUp(chainNo: number, afterSeq: number, count: number): Evidence[] {
    return this.#sql.evidenceUp.all({ no: chainNo, seq: afterSeq, count });
  }

  /** The text of a piece of evidence; empty when there is none of that number. */
  content(seq: number): string {
    return this.#sql.content.get({ seq })?.content ?? '';
  }

  /** The newest evidence of a chain without its text, newest first. */
  newestOf(chainNo: number, count: number): EvidenceHead[] {
    return this.#sql.evidenceDown.all({ no: chainNo, count });
  }

  /** Takes the body of a turn away; its digest, size and place stay. */
  dropText(seq: number): void {
    this.#sql.dropText.run({ seq });
    this.#index.remove(seq);
  }
}

function growth(turn: Pick<NewTurn, 'role' | 'recordedAt'>, seq: number, bytes: number): Growth {
  return {
    turns: 1,
    turnBytes: bytes,
    evidence: 0,
    userSeq: turn.role === 'user' ? seq : 0,
    assistantSeq: turn.role === 'assistant' ? seq : 0,
    at: turn.recordedAt,
  };
}

const EMPTY_SOURCE = { provider: '', accountRef: '', spaceRef: '', sessionRef: '' };
const NO_PLACE = {
  portableRepoId: null,
  portableCommitSha: null,
  portablePath: null,
  portableLineStart: null,
  portableLineEnd: null,
};

/** sha256 of the text's UTF-8. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/**
 * The text as it will be stored: characters that UTF-8 cannot hold are replaced, so that what is read back is what was
 * digested. Throws `payload_too_large` above 256 KiB and `invalid_params` for nothing at all.
 */
export function storable(text: string, what: string): string {
  const stored = toUSVString(text);
  const bytes = Buffer.byteLength(stored);
  if (bytes === 0) {
    throw new OutcomeError('invalid_params', `The ${what} is empty; nothing was recorded.`, {
      next: `Send the ${what} itself.`,
    });
  }
  if (bytes > ENTRY_BYTES_MAX) {
    throw new OutcomeError(
      'payload_too_large',
      `The ${what} has ${bytes} bytes, more than the ${ENTRY_BYTES_MAX} that one entry holds; nothing was recorded.`,
      {
        next: 'Record it in parts, or keep it in a file and record where that is.',
        details: { limit: ENTRY_BYTES_MAX },
      },
    );
  }
  return stored;
}
