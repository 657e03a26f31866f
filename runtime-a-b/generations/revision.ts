/**
 * Revisions: immutable folders of built programs under `<state>/revisions/`, named by their content, so that the same
 * build is the same revision and a changed one never is. A folder is copied under another name, described by running it,
 * and appears whole with one rename; a half-made one is nobody's and is cleared by the next staging.
 *
 * A folder holds `runtime.js`, `herdr-link.js`, `embedded-herdr.js`, `herdr-mcp.js` with their bundles, `migrations/`,
 * `skills/`, the file `revision.json`, and `node_modules`, a link to the native modules of the installation it came from.
 */
import Type, { type Static } from 'typebox';
import { RevisionId } from './desired.ts';

/** What a revision's own runtime says about itself (`runtime.js --describe`), and where it came from. */
export const RevisionFacts = Type.Object({
  schema: Type.Literal(1),
  revision: RevisionId,
  version: Type.String({ maxLength: 128 }),
  contract_epoch: Type.Integer(),
  contract_hash: Type.String({ maxLength: 80 }),
  state: Type.Object({
    /** How many migrations of `state.db` it knows. */
    knows: Type.Integer({ minimum: 0 }),
    /** With how many known migrations a program still understands what it writes. */
    oldest_reader: Type.Integer({ minimum: 0 }),
  }),
  /** The folder that was copied. */
  source: Type.String({ maxLength: 4096 }),
  staged_at_ms: Type.Integer(),
});
export type RevisionFacts = Static<typeof RevisionFacts>;
