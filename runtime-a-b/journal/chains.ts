/** The chains themselves: finding one by what names it exactly, making one, and the counts that its answers show. */
import { and, desc, eq, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm/sql';
import type { State } from '../state/index.ts';
import { bindings, chains } from './schema.ts';
import { fold } from './words.ts';

export type Chain = typeof chains.$inferSelect;

/** The three names of a Work Memory partition. */
export interface Partition {
  projectRef: string;
  repoId: string;
  workChainId: string;
}

export interface NewChain {
  continuityId: string;
  title: string;
  provider: string;
  projectId: string;
  status: 'active' | 'closed' | 'importing';
  partition: Partition | null;
  createdAt: number;
  updatedAt: number;
}

/** What a new entry adds to its chain's counts. */
export interface Growth {
  turns: number;
  turnBytes: number;
  evidence: number;
  userSeq: number;
  assistantSeq: number;
  at: number;
}

export class Chains {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
    this.#sql = prepare(state);
  }

  /** By its id, whatever its status. */
  byId(continuityId: string): Chain | undefined {
    return this.#sql.byId.get({ id: continuityId });
  }

  byNo(chainNo: number): Chain | undefined {
    return this.#sql.byNo.get({ no: chainNo });
  }

  byPartition(partition: Partition): Chain | undefined {
    return this.#sql.byPartition.get({ ...partition });
  }

  /**
   * Chains that people may see, of one project, active ones first: whatever the limit cuts off, a second owner is never
   * hidden behind chains that own nothing any more. `provider` empty means any.
   */
  ofProject(projectId: string, provider: string, limit: number): Chain[] {
    return this.#sql.ofProject.all({ project: projectId, provider, limit });
  }

  /** Chains that people may see and that a workspace (`<server key>/<id>`) is bound to, each once, active ones first. */
  ofWorkspace(workspaceId: string, limit: number): Chain[] {
    return this.#sql.ofWorkspace.all({ workspace: workspaceId, limit });
  }

  /** Chains that people may see, of one repository. */
  ofRepo(repoId: string, limit: number): Chain[] {
    return this.#sql.ofRepo.all({ repo: repoId, limit });
  }

  /** Chains that people may see, most recently changed first, after a place in that order. */
  recent(statuses: readonly string[], before: { updatedAt: number; chainNo: number } | null, limit: number): Chain[] {
    return this.#state.orm
      .select()
      .from(chains)
      .where(
        and(
          inArray(chains.status, [...statuses]),
          before === null
            ? undefined
            : or(
                lt(chains.updatedAt, before.updatedAt),
                and(eq(chains.updatedAt, before.updatedAt), lt(chains.chainNo, before.chainNo)),
              ),
        ),
      )
      .orderBy(desc(chains.updatedAt), desc(chains.chainNo))
      .limit(limit)
      .all();
  }

  /** Chains whose title holds the text, most recently changed first. */
  titled(text: string, limit: number): Chain[] {
    return this.#sql.titled.all({ text: fold(text), limit });
  }

  /** Makes a chain; the caller has made sure that nobody owns its id or partition. */
  insert(chain: NewChain): Chain {
    const { partition, ...rest } = chain;
    return this.#sql.insert.get({
      ...rest,
      titleKey: fold(chain.title),
      projectRef: partition?.projectRef ?? null,
      repoId: partition?.repoId ?? null,
      workChainId: partition?.workChainId ?? null,
    });
  }

  /** Turns a chain that nobody saw into this one. */
  reveal(chainNo: number, chain: NewChain): void {
    const { partition, updatedAt, ...rest } = chain;
    this.#sql.reveal.run({
      ...rest,
      no: chainNo,
      titleKey: fold(chain.title),
      projectRef: partition?.projectRef ?? null,
      repoId: partition?.repoId ?? null,
      workChainId: partition?.workChainId ?? null,
      at: updatedAt,
    });
  }

  setPartition(chainNo: number, partition: Partition, at: number): void {
    this.#sql.setPartition.run({ no: chainNo, ...partition, at });
  }

  /** The newest non-empty title is shown. */
  setTitle(chainNo: number, title: string): void {
    this.#sql.setTitle.run({ no: chainNo, title, key: fold(title) });
  }

  /** Says whose project the chain belongs to, once it is known. */
  setProject(chainNo: number, provider: string, projectId: string): void {
    this.#sql.setProject.run({ no: chainNo, provider, project: projectId });
  }

  setStatus(chainNo: number, status: NewChain['status'], at: number): void {
    this.#sql.setStatus.run({ no: chainNo, status, at });
  }

  setRetention(chainNo: number, policy: string, at: number): void {
    this.#sql.setRetention.run({ no: chainNo, policy, at });
  }

  setReclaimed(chainNo: number, throughSeq: number): void {
    this.#sql.setReclaimed.run({ no: chainNo, seq: throughSeq });
  }

  /** Moves the revision by exactly one. False when it was not `from`: nothing was changed. */
  advanceRevision(chainNo: number, from: number, at: number): boolean {
    return this.#sql.advance.run({ no: chainNo, from, to: from + 1, at }).changes === 1;
  }

  setRevision(chainNo: number, revision: number): void {
    this.#sql.setRevision.run({ no: chainNo, revision });
  }

  grow(chainNo: number, growth: Growth): void {
    this.#sql.grow.run({ no: chainNo, ...growth });
  }
}

const slot = sql.placeholder;
const put = (name: string) => sql`${slot(name)}`;

function prepare({ orm }: State) {
  const all = () => orm.select().from(chains);
  const set = (values: Parameters<ReturnType<typeof orm.update<typeof chains>>['set']>[0]) =>
    orm
      .update(chains)
      .set(values)
      .where(eq(chains.chainNo, slot('no')));
  const visible = ne(chains.status, 'importing');
  const newestFirst = [desc(chains.updatedAt), desc(chains.chainNo)] as const;
  const ownersFirst = [desc(eq(chains.status, 'active')), ...newestFirst] as const;
  return {
    byId: all()
      .where(eq(chains.continuityId, slot('id')))
      .prepare(),
    byNo: all()
      .where(eq(chains.chainNo, slot('no')))
      .prepare(),
    byPartition: all()
      .where(
        and(
          eq(chains.projectRef, slot('projectRef')),
          eq(chains.repoId, slot('repoId')),
          eq(chains.workChainId, slot('workChainId')),
        ),
      )
      .prepare(),
    ofProject: all()
      .where(
        and(
          eq(chains.projectId, slot('project')),
          sql`(${slot('provider')} = '' OR ${chains.provider} = ${slot('provider')})`,
          visible,
        ),
      )
      .orderBy(...ownersFirst)
      .limit(slot('limit'))
      .prepare(),
    ofWorkspace: all()
      .where(
        and(
          inArray(
            chains.chainNo,
            orm
              .select({ no: bindings.chainNo })
              .from(bindings)
              .where(and(eq(bindings.workspaceId, slot('workspace')), isNull(bindings.retiredAt))),
          ),
          visible,
        ),
      )
      .orderBy(...ownersFirst)
      .limit(slot('limit'))
      .prepare(),
    ofRepo: all()
      .where(and(eq(chains.repoId, slot('repo')), visible))
      .orderBy(...newestFirst)
      .limit(slot('limit'))
      .prepare(),
    titled: all()
      .where(and(sql`instr(${chains.titleKey}, ${slot('text')}) > 0`, visible))
      .orderBy(...newestFirst)
      .limit(slot('limit'))
      .prepare(),
    insert: orm
      .insert(chains)
      .values({
        continuityId: slot('continuityId'),
        title: slot('title'),
        titleKey: slot('titleKey'),
        provider: slot('provider'),
        projectId: slot('projectId'),
        status: slot('status'),
        projectRef: slot('projectRef'),
        repoId: slot('repoId'),
        workChainId: slot('workChainId'),
        createdAt: slot('createdAt'),
        updatedAt: slot('updatedAt'),
      })
      .returning()
      .prepare(),
    reveal: set({
      continuityId: put('continuityId'),
      title: put('title'),
      titleKey: put('titleKey'),
      provider: put('provider'),
      projectId: put('projectId'),
      status: put('status'),
      projectRef: put('projectRef'),
      repoId: put('repoId'),
      workChainId: put('workChainId'),
      createdAt: put('createdAt'),
      updatedAt: put('at'),
    }).prepare(),
    setPartition: set({
      projectRef: put('projectRef'),
      repoId: put('repoId'),
      workChainId: put('workChainId'),
      updatedAt: put('at'),
    }).prepare(),
    setTitle: set({ title: put('title'), titleKey: put('key') }).prepare(),
    setProject: set({ provider: put('provider'), projectId: put('project') }).prepare(),
    setStatus: set({ status: put('status'), updatedAt: put('at') }).prepare(),
    setRetention: set({ retentionPolicy: put('policy'), updatedAt: put('at') }).prepare(),
    setReclaimed: set({ reclaimedThroughSeq: put('seq') }).prepare(),
    setRevision: set({ checkpointRevision: put('revision') }).prepare(),
    advance: orm
      .update(chains)
      .set({ checkpointRevision: put('to'), updatedAt: put('at') })
      .where(and(eq(chains.chainNo, slot('no')), eq(chains.checkpointRevision, slot('from'))))
      .prepare(),
    grow: set({
      turnCount: sql`${chains.turnCount} + ${slot('turns')}`,
      turnBytes: sql`${chains.turnBytes} + ${slot('turnBytes')}`,
      evidenceCount: sql`${chains.evidenceCount} + ${slot('evidence')}`,
      lastUserSeq: sql`max(${chains.lastUserSeq}, ${slot('userSeq')})`,
      lastAssistantSeq: sql`max(${chains.lastAssistantSeq}, ${slot('assistantSeq')})`,
      updatedAt: sql`max(${chains.updatedAt}, ${slot('at')})`,
    }).prepare(),
  };
}
