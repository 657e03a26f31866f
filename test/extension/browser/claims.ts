import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Product } from './product.ts';

/** What a runtime knows of what its browsers have claimed, and what became of it. */
export function claimsOf({ runtime }: Product): Record<string, unknown>[] {
  const database = new DatabaseSync(join(runtime.stateDir, 'state.db'), { readOnly: true });
  try {
    return database.prepare('SELECT settle, phase FROM browser_wakes').all();
  } finally {
    database.close();
  }
}
