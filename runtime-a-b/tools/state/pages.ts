/**
 * Long lists in pages. A cut list is remembered in the order in which its first page gave it, so that going on neither
 * repeats nor skips anything when the order of relevance changes meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { OutcomeError } from '../../../contract/outcome.ts';
import { INSPECT_PAGES_KEPT } from '../../limits.ts';

export class Pages {
  readonly #kept = new Map<string, readonly string[]>();

  /** Remembers an order; the returned text begins every cursor into it. */
  keep(order: readonly string[]): string {
    const name = randomBytes(6).toString('hex');
    this.#kept.set(name, order);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= INSPECT_PAGES_KEPT) break;
      this.#kept.delete(oldest);
    }
    return name;
  }

  /** The order and the place that a cursor names. Throws `invalid_params` for one that is unknown or too old. */
  read(cursor: string): { name: string; order: readonly string[]; at: number } {
    const match = /^([0-9a-f]{12})\.(\d{1,9})$/.exec(cursor);
    const name = match?.[1] ?? '';
    const order = this.#kept.get(name);
    if (!order) {
      throw new OutcomeError('invalid_params', 'This cursor is unknown or too old; nothing was listed.', {
        next: 'Call herdr_inspect without a cursor.',
      });
    }
    return { name, order, at: Number(match?.[2]) };
  }
}
