/** What a cutover found and how far it has come. What is needed to put everything back is written before anything changes. */
import { join } from 'node:path';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { Journal } from '../cloudflare/index.ts';

/** A DNS record as Cloudflare describes it, with every field, so that it can be made again. */
export const DnsRecord = Type.Object({
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  content: Type.Optional(Type.String()),
  proxied: Type.Optional(Type.Boolean()),
  ttl: Type.Optional(Type.Number()),
  priority: Type.Optional(Type.Number()),
  data: Type.Optional(Type.Unknown()),
  comment: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  tags: Type.Optional(Type.Array(Type.String())),
  settings: Type.Optional(Type.Unknown()),
});
export type DnsRecord = Static<typeof DnsRecord>;

export const CutoverJournal = Type.Object({
  schema: Type.Literal(1),
  account_id: Type.String(),
  worker: Type.String(),
  hostname: Type.String(),
  zone_id: Type.String(),
  /** As they were: the addresses, the version that serves, the records of the name. */
  before: Type.Object({
    origins: Type.Array(Type.String(), { minItems: 1 }),
    version: Type.String(),
    dns: Type.Array(DnsRecord),
  }),
  /** Under which the deploy with the new address is found again. */
  tag: Type.String(),
  stage: Type.Union([
    Type.Literal('ready'),
    Type.Literal('deleting_dns'),
    Type.Literal('attaching_domain'),
    Type.Literal('watching_domain'),
    Type.Literal('deploying'),
    Type.Literal('verifying'),
    Type.Literal('green'),
    /** Green, and the address before was taken away since: there is no way back. */
    Type.Literal('retired'),
    Type.Literal('rolling_back'),
    Type.Literal('rolled_back'),
    Type.Literal('rollback_failed'),
  ]),
  /** Why it was rolled back, or what of the rollback failed. */
  why: Type.Optional(Type.String()),
  at_ms: Type.Integer(),
});
export type CutoverJournal = Static<typeof CutoverJournal>;

export const cutoverJournal = (stateDir: string): Journal<typeof CutoverJournal> =>
  new Journal(join(stateDir, 'deploy', 'cutover.json'), CutoverJournal);

/** Whether a cutover is under way: a further `run` goes on with it. */
export const isOpen = ({ stage }: CutoverJournal): boolean => !['green', 'retired', 'rolled_back'].includes(stage);
