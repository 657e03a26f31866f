/** How far a deploy has come. Facts and intents, never a secret. */
import { join } from 'node:path';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { Journal } from '../cloudflare/index.ts';

const DeployJournal = Type.Object({
  schema: Type.Literal(1),
  account_id: Type.String(),
  worker: Type.String(),
  /** The address that clients attach to, and every other one that this edge serves; the first is advertised. */
  origins: Type.Array(Type.String(), { minItems: 1 }),
  upload: Type.Optional(
    Type.Object({
      /** Under which this upload is found again at Cloudflare. */
      tag: Type.String(),
      /** Which sources. */
      digest: Type.String(),
      state: Type.Union([Type.Literal('begun'), Type.Literal('done')]),
      version: Type.Optional(Type.String()),
    }),
  ),
  /** The one-time operator secret: `setting` is written before it is sent, so that one found there is known as ours. */
  operator: Type.Union([Type.Literal('none'), Type.Literal('setting'), Type.Literal('set'), Type.Literal('dead')]),
  /** Absent until this machine is a workstation of the edge. */
  device_id: Type.Optional(Type.String()),
  finished_at_ms: Type.Optional(Type.Integer()),
});
export type DeployJournal = Static<typeof DeployJournal>;

/** The journal of a state folder's edge. */
export const deployJournal = (stateDir: string): Journal<typeof DeployJournal> =>
  new Journal(join(stateDir, 'deploy', 'edge.json'), DeployJournal);
