/** How things stand at this moment, gathered from files and processes for one decision. */
import { LocalError } from '../../../local/error/index.ts';
import { schemaOf } from '../../state/index.ts';
import { type Desired, mendDesired } from '../desired.ts';
import { readPointer, readRecord } from '../lease.ts';
import { DAMAGED_LOOK_MS } from '../limits.ts';
import type { ChildName, Observed } from '../observed.ts';
import { isIntact, type Revision, readRevision, revisionFolder } from '../revision.ts';
import { lookOf } from '../state-file.ts';
import type { Children } from './children.ts';
import { linkWanted } from './link.ts';
import type { View } from './view.ts';

type Own = Pick<View, 'observed' | 'jobs' | 'ending' | 'restarts'>;

export class Outlook {
  readonly #stateDir: string;
  readonly #children: Children;
  readonly #say: (line: string) => void;
  readonly #revisions = new Map<string, Revision>();
  readonly #damaged = new Map<string, { folder: string; againMs: number }>();
  #desired: Desired | undefined;
  #trouble: string | undefined;

  constructor(stateDir: string, children: Children, say: (line: string) => void) {
    this.#stateDir = stateDir;
    this.#children = children;
    this.#say = say;
  }

  /** What was wanted at the last look. */
  get desired(): Desired | undefined {
    return this.#desired;
  }

  async view(own: Own): Promise<View> {
    const { observed } = own;
    const desired = await this.#wanted();
    const named = [desired.active, desired.candidate, desired.programs, observed.active?.revision];
    for (const id of [...named, ...observed.children.map(({ revision }) => revision)]) await this.#know(id);
    const standing = (name: ChildName) => this.#children.standing(name);
    const [pointer, port, link] = await Promise.all([
      readPointer(this.#stateDir).catch(broken),
      this.#ports(),
      linkWanted(this.#stateDir),
    ]);
    return {
      ...own,
      nowMs: Date.now(),
      desired,
      standing: {
        ...{ 'runtime-a': standing('runtime-a'), 'runtime-b': standing('runtime-b') },
        ...{ link: standing('link'), herdr: standing('herdr') },
      },
      pointer,
      port,
      revision: (id) => this.#revisions.get(id),
      oldestReader: this.#oldestReader(observed),
      link,
      unreadable: this.#trouble,
    };
  }

  /** Only looked at when it matters: before a candidate touches the database. */
  #oldestReader({ candidate }: Observed): number {
    return candidate?.phase === 'migrating' ? schemaOf(this.#stateDir).oldest_reader : 0;
  }

  /** A broken file is mended; one that cannot be read leaves what was wanted before: what runs goes on. */
  async #wanted(): Promise<Desired> {
    try {
      const { desired, did } = await mendDesired(this.#stateDir, this.#desired);
      if (did !== undefined) this.#say(did);
      this.#desired = desired ?? { schema: 1, change: 1, running: true };
      this.#trouble = undefined;
    } catch (error) {
      if (!(error instanceof LocalError) || !this.#desired) throw error;
      this.#trouble = error.sentence;
    }
    return this.#desired;
  }

  /**
   * Checked against its own name once in a supervisor's life: it never changes by itself. A damaged one is read again only
   * when its folder is another one, or after a while: that is tens of megabytes.
   */
  async #know(id: string | undefined): Promise<void> {
    if (id === undefined || this.#revisions.has(id)) return;
    // Not its inode alone: a file system gives that of a folder that was removed to the next one that is made.
    const folder = lookOf(revisionFolder(this.#stateDir, id));
    const damaged = this.#damaged.get(id);
    if (folder === '-' || (damaged?.folder === folder && performance.now() < damaged.againMs)) return;
    const revision = await readRevision(this.#stateDir, id).catch(broken);
    if (revision && isIntact(this.#stateDir, revision)) this.#revisions.set(id, revision);
    else this.#damaged.set(id, { folder, againMs: performance.now() + DAMAGED_LOOK_MS });
  }

  async #ports(): Promise<View['port']> {
    const port: View['port'] = {};
    for (const generation of ['a', 'b'] as const) {
      const pid = this.#children.pid(`runtime-${generation}`);
      const record = pid === undefined ? undefined : await readRecord(this.#stateDir, generation).catch(broken);
      if (record && record.pid === pid) port[generation] = record.port;
    }
    return port;
  }
}

/** A file that says nothing we understand is as good as none: what should stand there is written anew. */
const broken = (error: unknown): undefined => {
  if (error instanceof LocalError) return undefined;
  throw error;
};
