/**
 * The schema of the Herdr that runs, asked from its own command and kept for a while. Listing never waits for it longer
 * than a moment: an old answer, or ours, is better than none. The embedded server is described by our contract itself.
 */
import { run } from '../../../local/spawn/index.ts';
import type { HerdrView } from '../../herdr/index.ts';
import { HERDR_SCHEMA_BYTES, HERDR_SCHEMA_MS, HERDR_SCHEMA_PATIENCE_MS, HERDR_SCHEMA_TTL_MS } from '../../limits.ts';
import { type MethodSchemas, ownSchemas, readSchemaDocument } from './schema.ts';

export interface Schemas {
  methods: MethodSchemas;
  /** `herdr_live`: this Herdr's own document. `herdr_mcp`: what we know of Herdr. */
  source: 'herdr_live' | 'herdr_mcp';
}

export class LiveSchema {
  readonly #own: Schemas = { methods: ownSchemas(), source: 'herdr_mcp' };
  readonly #command: string;
  readonly #nowMs: () => number;
  #known: { schemas: Schemas; version: string; at: number } | undefined;
  #asking: Promise<void> | undefined;

  constructor(command: string, nowMs: () => number) {
    this.#command = command;
    this.#nowMs = nowMs;
  }

  /** The schemas for the server of this picture. Never rejects. */
  async current(view: HerdrView): Promise<Schemas> {
    if (!view.server || view.server.embedded) return this.#own;
    const { version } = view.server;
    const known = this.#known?.version === version ? this.#known : undefined;
    if (known && this.#nowMs() - known.at < HERDR_SCHEMA_TTL_MS) return known.schemas;
    this.#asking ??= this.#ask(version).finally(() => {
      this.#asking = undefined;
    });
    if (!known)
      await Promise.race([
        this.#asking,
        new Promise((resolve) => setTimeout(resolve, HERDR_SCHEMA_PATIENCE_MS).unref()),
      ]);
    const now = this.#known?.version === version ? this.#known : undefined;
    return now?.schemas ?? known?.schemas ?? this.#own;
  }

  async #ask(version: string): Promise<void> {
    const at = this.#nowMs();
    const result = await run(this.#command, ['api', 'schema'], {
      timeoutMs: HERDR_SCHEMA_MS,
      maxBytes: HERDR_SCHEMA_BYTES,
    }).catch(() => undefined);
    const methods = result?.code === 0 && !result.truncated ? parse(result.stdout.toString('utf8')) : undefined;
    // A command that cannot say is not asked again for each call either.
    const schemas: Schemas = methods ? { methods, source: 'herdr_live' } : (this.#known?.schemas ?? this.#own);
    this.#known = { schemas, version, at };
  }
}

function parse(text: string): MethodSchemas | undefined {
  try {
    return readSchemaDocument(JSON.parse(text));
  } catch {
    return undefined;
  }
}
