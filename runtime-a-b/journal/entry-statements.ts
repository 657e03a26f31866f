/** The prepared statements of turns and evidence. */
import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm/sql';
import { getTableColumns } from 'drizzle-orm/utils';
import type { State } from '../state/index.ts';
import { evidence, turns } from './schema.ts';

const slot = sql.placeholder;

export function prepareEntries({ orm }: State) {
  const { text: _, ...head } = getTableColumns(turns);
  const { content: __, ...proofHead } = getTableColumns(evidence);
  const heads = () => orm.select({ ...head, hasText: sql<boolean>`text IS NOT NULL`.mapWith(Boolean) }).from(turns);
  return {
    newestTurn: orm.select({ seq: turns.seq }).from(turns).orderBy(desc(turns.seq)).limit(1).prepare(),
    newestEvidence: orm.select({ seq: evidence.seq }).from(evidence).orderBy(desc(evidence.seq)).limit(1).prepare(),
    turnByMessage: heads()
      .where(and(eq(turns.chainNo, slot('no')), eq(turns.messageId, slot('message'))))
      .prepare(),
    turn: orm
      .select()
      .from(turns)
      .where(eq(turns.seq, slot('seq')))
      .prepare(),
    text: orm
      .select({ text: turns.text })
      .from(turns)
      .where(eq(turns.seq, slot('seq')))
      .prepare(),
    lastBodiless: orm
      .select({ seq: turns.seq })
      .from(turns)
      .where(and(eq(turns.chainNo, slot('no')), isNull(turns.text)))
      .orderBy(desc(turns.seq))
      .limit(1)
      .prepare(),
    headsDown: heads()
      .where(and(eq(turns.chainNo, slot('no')), lte(turns.seq, slot('seq'))))
      .orderBy(desc(turns.seq))
      .limit(slot('count'))
      .prepare(),
    turnsUp: orm
      .select()
      .from(turns)
      .where(and(eq(turns.chainNo, slot('no')), gt(turns.seq, slot('seq'))))
      .orderBy(turns.seq)
      .limit(slot('count'))
      .prepare(),
    insertTurn: orm
      .insert(turns)
      .values({
        seq: slot('seq'),
        chainNo: slot('chainNo'),
        messageId: slot('messageId'),
        provider: slot('provider'),
        conversationId: slot('conversationId'),
        accountRef: slot('accountRef'),
        spaceRef: slot('spaceRef'),
        sessionRef: slot('sessionRef'),
        messageRef: slot('messageRef'),
        role: slot('role'),
        sha256: slot('sha256'),
        bytes: slot('bytes'),
        observedAt: slot('observedAt'),
        recordedAt: slot('recordedAt'),
        text: slot('text'),
      })
      .prepare(),
    dropText: orm
      .update(turns)
      .set({ text: null })
      .where(eq(turns.seq, slot('seq')))
      .prepare(),
    evidenceById: orm
      .select()
      .from(evidence)
      .where(and(eq(evidence.chainNo, slot('no')), eq(evidence.evidenceId, slot('id'))))
      .prepare(),
    evidence: orm
      .select()
      .from(evidence)
      .where(eq(evidence.seq, slot('seq')))
      .prepare(),
    evidenceUp: orm
      .select()
      .from(evidence)
      .where(and(eq(evidence.chainNo, slot('no')), gt(evidence.seq, slot('seq'))))
      .orderBy(evidence.seq)
      .limit(slot('count'))
      .prepare(),
    evidenceDown: orm
      .select(proofHead)
      .from(evidence)
      .where(eq(evidence.chainNo, slot('no')))
      .orderBy(desc(evidence.seq))
      .limit(slot('count'))
      .prepare(),
    content: orm
      .select({ content: evidence.content })
      .from(evidence)
      .where(eq(evidence.seq, slot('seq')))
      .prepare(),
    insertEvidence: orm
      .insert(evidence)
      .values({
        seq: slot('seq'),
        chainNo: slot('chainNo'),
        evidenceId: slot('evidenceId'),
        kind: slot('kind'),
        provider: slot('provider'),
        accountRef: slot('accountRef'),
        spaceRef: slot('spaceRef'),
        sessionRef: slot('sessionRef'),
        portableRepoId: slot('portableRepoId'),
        portableCommitSha: slot('portableCommitSha'),
        portablePath: slot('portablePath'),
        portableLineStart: slot('portableLineStart'),
        portableLineEnd: slot('portableLineEnd'),
        sha256: slot('sha256'),
        bytes: slot('bytes'),
        createdAt: slot('createdAt'),
        recordedAt: slot('recordedAt'),
        content: slot('content'),
      })
      .prepare(),
  };
}
