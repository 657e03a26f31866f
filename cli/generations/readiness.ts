/** Whether the workstation is ready: five places must agree on the generation that serves (design, section 7). Pure. */
import type { LinkReport } from '../../link/index.ts';
import type { Desired, Observed, RuntimeRecord } from '../../runtime-a-b/generations/index.ts';

export interface Facts {
  desired: Desired | undefined;
  observed: Observed | undefined;
  /** Revisions whose folders are here. */
  here: readonly string[];
  /** The generation that the pointer names. */
  pointed: string | undefined;
  /** What the generation that should serve says about its process, when that lives. */
  record: RuntimeRecord | undefined;
  link: LinkReport;
  /** The boot that the edge believes to serve; `undefined` when it could not be asked. */
  edgeBoot: string | undefined | 'none';
}

export interface Readiness {
  ready: boolean;
  places: { place: 'installed' | 'running' | 'active' | 'leased' | 'reported'; ok: boolean | null; fact: string }[];
}

/** `ok` is null for what could not be looked at; only five times true is ready. */
export function readiness(facts: Facts): Readiness {
  const { desired, observed, here, pointed, record, link, edgeBoot } = facts;
  const serves = observed?.active;
  const refused = observed?.refused.some(({ revision }) => revision === desired?.active);
  const wanted = refused ? serves?.revision : (desired?.active ?? serves?.revision);
  const leased = link.running ? link.status?.runtime?.boot_id : undefined;
  const places: Readiness['places'] = [
    {
      place: 'installed',
      ok: wanted !== undefined && here.includes(wanted),
      fact:
        wanted === undefined
          ? 'no revision is installed'
          : `${wanted}${here.includes(wanted) ? '' : ', whose folder is gone'}`,
    },
    {
      place: 'running',
      ok: record !== undefined && serves?.revision === wanted,
      fact: record
        ? `${serves?.revision} as generation ${record.generation}, pid ${record.pid}`
        : 'its process does not run',
    },
    {
      place: 'active',
      ok: pointed !== undefined && pointed === serves?.generation,
      fact: pointed === undefined ? 'no generation is active' : `the pointer names generation ${pointed}`,
    },
    {
      place: 'leased',
      ok: leased !== undefined && leased === record?.boot_id,
      fact: !link.running
        ? 'the link does not run'
        : leased === undefined
          ? 'the link knows no runtime'
          : `the link forwards to ${leased}`,
    },
    {
      place: 'reported',
      ok: edgeBoot === undefined ? null : edgeBoot !== 'none' && edgeBoot === record?.boot_id,
      fact:
        edgeBoot === undefined
          ? 'the edge could not be asked'
          : edgeBoot === 'none'
            ? 'the edge knows no runtime'
            : `the edge knows ${edgeBoot}`,
    },
  ];
  return { ready: places.every(({ ok }) => ok === true), places };
}
