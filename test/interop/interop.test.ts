/** A sample of `npm run interop`: what must not break between two whole runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveHere } from '../../scripts/demo/index.ts';
import type { Product } from '../../scripts/start/index.ts';
import { allGone, type Place, place, startHere } from '../e2e/product.ts';
import { earnToken } from '../support/access-token.ts';
import { verifies } from '../verifies.ts';
import { type BearerDoor, openBearerDoor } from './bearer.ts';
import { type Check, judge, runAuthorizationScenarios, runServerScenarios } from './conformance.ts';
import { STEPS } from './flow.ts';
import { roadOfLibrary } from './oauth-library.ts';
import { compatibilityPage, isClean, type Run } from './report.ts';
import { VERSIONS } from './scenarios.ts';
import { roadOfV1, roadOfV2 } from './sdk-clients.ts';

describe('against the whole product', () => {
  let at: Place;
  let product: Product;
  let door: BearerDoor;
  const approve = () => approveHere(at.stateDir, () => undefined);

  beforeAll(async () => {
    at = place();
    product = await startHere(at);
    const { accessToken } = await earnToken(product.mcpUrl, approve());
    door = await openBearerDoor(product.mcpUrl, accessToken);
  });
  afterAll(async () => {
    await door?.close();
    await product?.stop();
    await allGone(at.stateDir);
    at.remove();
  });

  const SAMPLE = {
    '2025-11-25': ['server-initialize', 'tools-list', 'dns-rebinding-protection'],
    '2026-07-28': ['server-stateless', 'caching', 'http-header-validation'],
  };

  it.each(VERSIONS)('the conformance suite holds for %s', async (version) => {
    verifies('interop.conformance');
    const judged = await runServerScenarios(door.url, version, SAMPLE[version]);
    expect(judged.map(({ scenario }) => scenario).sort()).toEqual([...SAMPLE[version]].sort());
    expect(judged.flatMap(({ failures }) => failures)).toEqual([]);
    expect(judged.every(({ passed }) => passed > 0)).toBe(true);
  });

  it('the suite’s own sign-in as an authorisation server’s client holds', async () => {
    verifies('interop.conformance');
    const judged = await runAuthorizationScenarios(product.mcpUrl, '2026-07-28', approve());
    expect(judged.map(({ verdict }) => verdict)).toEqual(['held', 'held']);
  });

  it.each([
    ['v2', roadOfV2, '2026-07-28'],
    ['v1', roadOfV1, '2025-11-25'],
    ['oauth4webapi', roadOfLibrary, '2025-11-25'],
  ] as const)('the %s client goes from discovery to revocation', async (_, road, protocol) => {
    verifies('interop.clients');
    const finished = await road(new URL(product.mcpUrl), approve());
    expect(finished).toMatchObject({ protocol });
    expect(finished.problem).toBeUndefined();
    expect(Object.keys(finished.seen)).toEqual([...STEPS]);
  });
});

describe('judging a scenario', () => {
  const check = (id: string, status: string): Check => ({ id, status, description: id });

  it.each([
    ['all checks passed', 'tools-list', [check('a', 'SUCCESS')], 'held'],
    ['one failed', 'tools-list', [check('a', 'SUCCESS'), check('b', 'FAILURE')], 'failed'],
    ['only a warning', 'tools-list', [check('a', 'SUCCESS'), check('b', 'WARNING')], 'held'],
    ['nothing was checked', 'server-sse-polling', [check('a', 'WARNING')], 'does not apply'],
    ['one that cannot apply failed', 'caching', [check('sep-2549-resources-list-caching-hints', 'FAILURE')], 'held'],
    ['it cannot apply at all', 'resources-list', [check('a', 'FAILURE')], 'does not apply'],
    ['nobody has heard of it', 'brand-new', [check('a', 'FAILURE')], 'failed'],
  ])('of which %s', (_, scenario, checks, verdict) => {
    expect(judge(scenario, '2026-07-28', checks).verdict).toBe(verdict);
  });

  it('ends in a page that names every failure, and is clean only without one', () => {
    const run: Run = {
      suite: '1.0.0',
      day: '2026-11-30',
      node: 'v24',
      edge: '0.1.0',
      clients: [
        { client: 'SDK v2 client', protocol: '2026-07-28', seen: { list: '19 tools' }, problem: 'no | refresh' },
      ],
      scenarios: [
        judge('tools-list', '2026-07-28', [check('b', 'FAILURE')]),
        judge('resources-list', '2025-11-25', []),
      ],
    };
    const page = compatibilityPage(run);
    expect(isClean(run)).toBe(false);
    expect(page).toContain('| 2026-07-28 | tools-list | failed | 0 | b: b |');
    expect(page).toContain('no \\| refresh');
    expect(page).toContain('| resources-list | 2025-11-25 | the server has no resources');
    expect(isClean({ ...run, clients: [], scenarios: [] })).toBe(true);
  });
});
