/**
 * Clients whose id is the address of their own description. The last good document is a row like a registration, so the
 * library finds it where it looks; asking the host happens before any lock is taken and once for everybody who waits.
 */
import { and, asc, count, eq, isNotNull, lte } from 'drizzle-orm';
import { DOCUMENT_BYTES, DOCUMENT_STALE_MS_MAX, DOCUMENTS_MAX, UNGRANTED_CLIENT_MS } from '../../http/index.ts';
import { type AuthStore, clients } from '../store/index.ts';
import { type ClientRecord, freshForMs, readDocument } from './document-rules.ts';
import { fetchDocument } from './fetching.ts';

type ClientRow = typeof clients.$inferSelect;

export class Documents {
  readonly #store: AuthStore;
  readonly #clock: () => number;
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(store: AuthStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Makes sure that a good record of the document is in the table; false when there is none. `mayFetch` is asked before
   * a stranger makes us send a request. While the host is unreachable the last good document goes on serving a client
   * that owns a grant.
   */
  async resolve(address: string, mayFetch: () => boolean): Promise<boolean> {
    const row = this.#find(address);
    const nowMs = this.#clock();
    if (row?.freshUntilMs && row.freshUntilMs > nowMs && (row.expiresAtMs === null || row.expiresAtMs > nowMs))
      return true;
    const waiting = this.#underWay.get(address);
    if (waiting) return waiting;
    if (!mayFetch()) return false;
    const fetching = this.#refresh(address, row).finally(() => this.#underWay.delete(address));
    this.#underWay.set(address, fetching);
    return fetching;
  }

  async #refresh(address: string, row: ClientRow | undefined): Promise<boolean> {
    const fetched = await fetchDocument(address, DOCUMENT_BYTES);
    const read = fetched.ok ? readDocument(address, fetched.value) : undefined;
    const nowMs = this.#clock();
    if (fetched.ok && read?.ok) {
      this.#keep(address, read.record, nowMs, nowMs + freshForMs(fetched.cacheControl));
      return true;
    }
    const definite = fetched.ok || fetched.definite;
    return !definite && row?.expiresAtMs === null && nowMs - (row.freshUntilMs ?? 0) < DOCUMENT_STALE_MS_MAX;
  }

  #keep(address: string, record: ClientRecord, nowMs: number, freshUntilMs: number): void {
    const { db } = this.#store;
    const text = JSON.stringify(record);
    this.#store.atomically(() => {
      db.delete(clients)
        .where(and(eq(clients.source, 'document'), lte(clients.expiresAtMs, nowMs)))
        .run();
      const known = this.#find(address);
      if (known) {
        const expiresAtMs = known.expiresAtMs === null ? null : nowMs + UNGRANTED_CLIENT_MS;
        db.update(clients).set({ record: text, freshUntilMs, expiresAtMs }).where(eq(clients.clientId, address)).run();
        return;
      }
      this.#makeRoom();
      db.insert(clients)
        .values({
          clientId: address,
          source: 'document',
          record: text,
          createdAtMs: nowMs,
          freshUntilMs,
          expiresAtMs: nowMs + UNGRANTED_CLIENT_MS,
        })
        .run();
    });
  }

  #makeRoom(): void {
    const { db } = this.#store;
    const ungranted = and(eq(clients.source, 'document'), isNotNull(clients.expiresAtMs));
    const held = db.select({ n: count() }).from(clients).where(ungranted).get()?.n ?? 0;
    if (held < DOCUMENTS_MAX) return;
    const oldest = db.select().from(clients).where(ungranted).orderBy(asc(clients.createdAtMs)).limit(1).get();
    if (oldest) db.delete(clients).where(eq(clients.clientId, oldest.clientId)).run();
  }

  #find(address: string): ClientRow | undefined {
    return this.#store.db.select().from(clients).where(eq(clients.clientId, address)).get();
  }
}
