/**
 * The key-value shape that the OAuth library expects, over our tables, for the length of one request.
 *
 * Reads see the request's own writes first and the database behind them; nothing is written until {@link Overlay.commit},
 * which the caller runs inside one transaction together with its own rows. A request that fails leaves nothing behind.
 * Client records live in their own table, because their life depends on the grants that they own.
 */
import { and, eq, gte, lt } from 'drizzle-orm';
import type { AuthStore } from './open.ts';
import { clients, entries } from './schema.ts';

interface Write {
  value: string;
  expiresAtMs: number | null;
}

interface PutOptions {
  /** Seconds since 1970. */
  expiration?: number;
  /** Seconds from now. */
  expirationTtl?: number;
}

const CLIENT_PREFIX = 'client:';

export class Overlay {
  readonly #store: AuthStore;
  readonly #nowMs: number;
  readonly #writes = new Map<string, Write | null>();

  constructor(store: AuthStore, nowMs: number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async get(key: string, options?: { type?: string }): Promise<unknown> {
    const written = this.#writes.get(key);
    const value = written === undefined ? this.#read(key) : written?.value;
    if (value === undefined) return null;
    return options?.type === 'json' ? JSON.parse(value) : value;
  }

  async put(key: string, value: string, options: PutOptions = {}): Promise<void> {
    const ttlMs = options.expirationTtl === undefined ? null : this.#nowMs + options.expirationTtl * 1000;
    const expiresAtMs = options.expiration === undefined ? ttlMs : options.expiration * 1000;
    this.#writes.set(key, { value, expiresAtMs });
  }

  async delete(key: string): Promise<void> {
    this.#writes.set(key, null);
  }

  /** Every live key with the prefix, in one page: a grant owns a handful of tokens. */
  async list({ prefix = '' }: { prefix?: string } = {}): Promise<{ keys: { name: string }[]; list_complete: true }> {
    const stored = this.#store.db
      .select({ key: entries.key, expiresAtMs: entries.expiresAtMs })
      .from(entries)
      .where(and(gte(entries.key, prefix), lt(entries.key, `${prefix}\uffff`)))
      .all();
    const names = new Set(stored.filter((row) => !this.#past(row.expiresAtMs)).map((row) => row.key));
    for (const [key, write] of this.#writes) {
      if (!key.startsWith(prefix)) continue;
      if (write === null) names.delete(key);
      else names.add(key);
    }
    return { keys: [...names].sort().map((name) => ({ name })), list_complete: true };
  }

  /** Writes what the request wrote. Synchronous: call it inside the store's transaction. */
  commit(): void {
    for (const [key, write] of this.#writes) {
      if (key.startsWith(CLIENT_PREFIX)) this.#commitClient(key.slice(CLIENT_PREFIX.length), write);
      else if (write === null) this.#store.db.delete(entries).where(eq(entries.key, key)).run();
      else {
        this.#store.db
          .insert(entries)
          .values({ key, ...write })
          .onConflictDoUpdate({ target: entries.key, set: write })
          .run();
      }
    }
    this.#writes.clear();
  }

  #commitClient(clientId: string, write: Write | null): void {
    const { db } = this.#store;
    if (write === null) db.delete(clients).where(eq(clients.clientId, clientId)).run();
    else {
      db.insert(clients)
        .values({ clientId, source: 'registered', record: write.value, createdAtMs: this.#nowMs })
        .onConflictDoUpdate({ target: clients.clientId, set: { record: write.value } })
        .run();
    }
  }

  #read(key: string): string | undefined {
    if (key.startsWith(CLIENT_PREFIX)) {
      const clientId = key.slice(CLIENT_PREFIX.length);
      const row = this.#store.db.select().from(clients).where(eq(clients.clientId, clientId)).get();
      return row && !this.#past(row.expiresAtMs) ? row.record : undefined;
    }
    const row = this.#store.db.select().from(entries).where(eq(entries.key, key)).get();
    return row && !this.#past(row.expiresAtMs) ? row.value : undefined;
  }

  #past(expiresAtMs: number | null): boolean {
    return expiresAtMs !== null && expiresAtMs <= this.#nowMs;
  }
}
