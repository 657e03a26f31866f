/**
 * The cutover to a custom domain against a stand-in of Cloudflare.
 * Long because each file of it would deploy once with the real wrangler before its first test.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { moveDevice, openIdentity } from '../../link/index.ts';
import { requestEdge } from '../../link/network/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { run as runProgram } from '../../local/spawn/index.ts';
import { edgeSources, ROOT } from '../../scripts/build/index.ts';
import { Api, Journal, type Wrangler, wranglerOf } from '../../scripts/cloudflare/index.ts';
import { type CutoverWish, cutover, cutoverJournal, readWish } from '../../scripts/cutover/index.ts';
import { type Fleet, usersIn } from '../../scripts/cutover/users.ts';
import { deploy, deployJournal, readWish as readDeployWish } from '../../scripts/deploy/index.ts';
import { played } from '../played.ts';
import { CloudflareStandIn, type Fault, type Saved, type VersionAt } from '../support/cloudflare/index.ts';
import { verifies } from '../verifies.ts';
import { failure } from './failure.ts';

const OLD = 'https://herdr-mcp.somebody.workers.dev';
const NAME = 'herdr.example.org';
const NEW = `https://${NAME}`;
const WRANGLER_MS = 300_000;
// Every test starts workerd several times, and some a command as well.
vi.setConfig({ testTimeout: 120_000 });
const WAITS = {
  api: { timeoutMs: 20_000, readAgainMs: [10, 10] },
  lookAgainMs: [10, 10],
};

const folder = mkdtempSync(join(tmpdir(), 'hm-cutover-'));
const cloudflare = new CloudflareStandIn(join(folder, 'cloudflare'), ['herdr-mcp.somebody.workers.dev', NAME]);
let uploaded: VersionAt;
let saved: Saved;
let deployedHere: string;
let stateDir: string;
let said: string[];

/** Deploys once with the real wrangler; every test begins from that edge, on a fresh account. */
beforeAll(async () => {
  await cloudflare.start();
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...cloudflare.front.certificates]);
  stateDir = ensurePrivateDir(mkdtempSync(join(folder, 'state-')));
  await deployHere(wranglerOf(ROOT, env()));
  uploaded = cloudflare.account.scripts.get('herdr-mcp')?.versions.at(-1) as VersionAt;
  saved = await cloudflare.save();
  deployedHere = stateDir;
}, WRANGLER_MS);
afterAll(async () => {
  await cloudflare.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await cloudflare.restore(saved);
  stateDir = ensurePrivateDir(mkdtempSync(join(folder, 'state-')));
  cpSync(deployedHere, stateDir, { recursive: true });
  said = [];
});

const env = () => ({ ...process.env, ...cloudflare.env });

async function deployHere(wrangler: Wrangler): Promise<void> {
  const waits = { ...WAITS, probe: { everyMs: 50, withinMs: 20_000 }, operator: { everyMs: 50, tries: 3 } };
  const clone = await edgeSources();
  await deploy({ wish: readDeployWish([]), stateDir, env: env(), wrangler, clone, say: () => undefined, waits });
}

/** Uploads what the real one uploaded, without bundling it again; `breaks` makes the upload one that does not serve. */
function quick(breaks = false): Wrangler {
  return {
    token: async () => 'stand-in-token',
    deploy: async ({ name, tag, vars }) => {
      if (breaks) return { code: 1, said: 'it could not be uploaded' };
      await cloudflare.place(name, uploaded, tag, vars);
      return { code: 0, said: '' };
    },
  };
}

function run(args: string[], wrangler = quick(), withinMs = 5_000) {
  const wish = readWish(args) as Extract<CutoverWish, { do: 'run' | 'retire' | 'rollback' }>;
  const waits = { ...WAITS, watch: { everyMs: 20, withinMs } };
  return cutover({ wish, stateDir, env: env(), wrangler, say: (line) => said.push(line), waits });
}

const changes = () => cloudflare.requests.filter((request) => !request.startsWith('GET '));
const journal = () => cutoverJournal(stateDir).read();

/** What a client sees: who the sign-in of an address says that it is. */
async function issuerAt(origin: string): Promise<unknown> {
  const url = new URL('/.well-known/oauth-authorization-server', origin);
  const { body } = await requestEdge({ method: 'GET', url, environment: env() });
  return (body as { issuer?: unknown }).issuer;
}

/** Everything that a person set, without ids: what must be the same after a rollback. */
function facts() {
  const { domains, dns, scripts } = cloudflare.account;
  const script = scripts.get('herdr-mcp');
  return {
    domains: domains.map(({ hostname }) => hostname),
    dns: dns.map(({ id: _, ...record }) => record),
    serving: script?.deployments[0],
    secrets: Object.keys(script?.secrets ?? {}),
  };
}

const TUNNEL = {
  id: 'r1',
  type: 'CNAME',
  name: NAME,
  content: 'tunnel.example.net',
  proxied: true,
  ttl: 1,
  comment: 'the old way in',
};

const DOMAIN = { id: 'theirs', zone_id: 'b'.repeat(32), zone_name: 'example.org', environment: 'production' };

describe('the cutover to a custom domain', () => {
  it('puts the new address beside the old one, and both serve as their own sign-in', async () => {
    verifies('ab.cutover');
    const { account } = cloudflare;
    account.dns.push({ ...TUNNEL });
    expect(await run(['run', NAME, '--replace-dns'])).toBe('CUTOVER_GREEN');
    expect(account.domains.map(({ hostname, service }) => [hostname, service])).toEqual([[NAME, 'herdr-mcp']]);
    expect([await issuerAt(NEW), await issuerAt(OLD)]).toEqual([NEW, OLD]);
    expect((await deployJournal(stateDir).read())?.origins).toEqual([NEW, OLD]);
    expect((await journal())?.before.dns).toEqual([TUNNEL]);

    // Again it finds everything done; a later deploy keeps both addresses.
    cloudflare.requests.length = 0;
    expect(await run(['run', NAME])).toBe('CUTOVER_GREEN');
    expect(changes()).toEqual([]);
    await deployHere(quick());
    expect([await issuerAt(NEW), await issuerAt(OLD)]).toEqual([NEW, OLD]);

    // And by hand it goes back, exactly.
    expect(await run(['rollback'])).toBe('ROLLBACK_COMPLETE');
    expect(facts()).toMatchObject({
      domains: [],
      dns: [{ type: 'CNAME', content: 'tunnel.example.net', comment: 'the old way in' }],
    });
    expect(await issuerAt(OLD)).toBe(OLD);
  });

  it('a dry run looks at everything and changes nothing', async () => {
    verifies('ab.cutover');
    expect(await run(['run', NAME, '--dry-run'])).toBe('READY');
    expect(changes()).toEqual([]);
    expect(await journal()).toBeUndefined();
    expect(said.join('\n')).toContain(`attach ${NAME} to the Worker herdr-mcp`);
  });

  it.each(['fail_after', 'silent_after', 'page_after', 'fail_before'] as const)(
    'a change whose answer says nothing is looked at, never blindly repeated: %s',
    async (kind) => {
      verifies('ab.cutover');
      cloudflare.account.dns.push({ ...TUNNEL });
      cloudflare.faults = [
        { on: /^DELETE .*dns_records/, kind },
        { on: /^PUT .*\/workers\/domains$/, kind },
      ];
      expect(await run(['run', NAME, '--replace-dns'])).toBe('CUTOVER_GREEN');
      const once = kind === 'fail_before' ? 2 : 1;
      expect(cloudflare.count(/^DELETE .*dns_records/)).toBe(once);
      expect(cloudflare.count(/^PUT .*\/workers\/domains$/)).toBe(once);
    },
  );

  const failing: [string, () => { faults?: Fault[]; wrangler?: Wrangler; withinMs?: number }][] = [
    ['the domain is refused', () => ({ faults: [{ on: /^PUT .*\/workers\/domains$/, kind: 'refuse' }] })],
    [
      'the new address never serves',
      () => ({ faults: [{ on: /^PUT .*\/workers\/domains$/, kind: 'race', meanwhile: () => hide() }], withinMs: 100 }),
    ],
    ['the deploy fails', () => ({ wrangler: quick(true) })],
    [
      'the deploy arrives and the edge does not know this machine any more',
      () => ({
        wrangler: {
          token: async () => 'stand-in-token',
          deploy: async ({ name, tag }) => {
            await cloudflare.place(name, uploaded, tag, { ORIGINS: NEW, STAGE: 'prod' }); // the old address is gone
            return { code: 0, said: '' };
          },
        },
        withinMs: 300,
      }),
    ],
  ];

  /** The domain is attached, and its name leads nowhere: no certificate, or an outage. */
  function hide(): void {
    const { scripts } = cloudflare.account;
    const script = scripts.get('herdr-mcp');
    if (script) cloudflare.hidden.add(NAME);
  }

  it.each(failing)('%s: everything is put back exactly, and the old address never stopped', async (_, given) => {
    verifies('ab.cutover');
    cloudflare.account.dns.push({ ...TUNNEL });
    const before = facts();
    const { faults = [], wrangler, withinMs } = given();
    cloudflare.faults = faults;
    expect(await run(['run', NAME, '--replace-dns'], wrangler, withinMs)).toBe('ROLLBACK_COMPLETE');
    expect(facts()).toEqual(before);
    expect(await issuerAt(OLD)).toBe(OLD);
    expect((await journal())?.stage).toBe('rolled_back');
    expect((await deployJournal(stateDir).read())?.origins).toEqual([OLD]);
  });

  it('somebody who takes the name at the same moment keeps it', async () => {
    verifies('ab.cutover');
    const take = () => cloudflare.account.domains.push({ ...DOMAIN, hostname: NAME, service: 'another' });
    cloudflare.faults = [{ on: /^PUT .*\/workers\/domains$/, kind: 'race', meanwhile: take }];
    const before = facts();
    expect(await run(['run', NAME])).toBe('ROLLBACK_COMPLETE');
    expect(facts()).toEqual({ ...before, domains: [NAME] });
    expect(cloudflare.count(/^DELETE /)).toBe(0);
  });

  it('killed after any change, run again it goes on and repeats nothing', async () => {
    verifies('ab.cutover');
    cloudflare.account.dns.push({ ...TUNNEL });
    const before = facts();
    for (const on of [/^DELETE .*dns_records/, /^PUT .*\/workers\/domains$/]) {
      // It acts, and from then on nothing answers, not even the rollback: as good as a process that was killed.
      const blind = () => cloudflare.faults.unshift({ on: /./, kind: 'fail_before', times: 999 });
      cloudflare.faults = [{ on, kind: 'race', meanwhile: blind }];
      expect((await failure(run(['run', NAME, '--replace-dns']))).code).toBe('rollback_failed');
      cloudflare.faults = [];
      expect(await run(['run', NAME, '--replace-dns'])).toBe('ROLLBACK_COMPLETE');
      expect(facts()).toEqual(before);
    }
    cloudflare.requests.length = 0;
    expect(await run(['run', NAME, '--replace-dns'])).toBe('CUTOVER_GREEN');
    expect(changes().map((request) => request.split(' ')[0])).toEqual(['DELETE', 'PUT']);
  });
});

/** A process that ends there and then: nothing of it runs on, as no error of its own would do. */
class Killed extends Error {}

/** Before and after each thing that lasts (a journal's write, a change at Cloudflare, an upload): dies at the n-th. */
function dyingAt(n: number): Wrangler {
  let steps = 0;
  const around = <T>(work: () => Promise<T>) => {
    const step = () => {
      steps += 1;
      if (steps >= n) throw new Killed(`killed at ${n}`);
    };
    return (async () => {
      step();
      const done = await work();
      step();
      return done;
    })();
  };
  const { write } = Journal.prototype;
  const { change } = Api.prototype;
  vi.spyOn(Journal.prototype, 'write').mockImplementation(function (this: Journal<TSchema>, value) {
    return around(() => write.call(this, value));
  });
  vi.spyOn(Api.prototype, 'change').mockImplementation(function (this: Api, ...args) {
    return around(() => change.apply(this, args));
  });
  return { ...quick(), deploy: (wish) => around(() => quick().deploy(wish)) };
}

describe('killed at every step and run again', () => {
  const EVERY = process.env['HERDR_MCP_MATRIX'] === '1';
  const STEPS = EVERY ? Array.from({ length: 40 }, (_, n) => n + 1) : [5, 10];

  /** Whether it was killed there. */
  async function killed(args: string[], n: number): Promise<boolean> {
    const wrangler = dyingAt(n);
    try {
      return await run(args, wrangler).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          played('kills');
          return true;
        },
      );
    } finally {
      vi.restoreAllMocks();
    }
  }

  it('the cutover goes on to green, and the rollback to what was before; no change is made twice', async () => {
    verifies('ab.cutover');
    let deaths = 0;
    for (const n of STEPS) {
      await cloudflare.restore(saved);
      cpSync(deployedHere, stateDir, { recursive: true });
      rmSync(cutoverJournal(stateDir).file, { force: true });
      cloudflare.account.dns.push({ ...TUNNEL });
      const before = facts();
      const forth = await killed(['run', NAME, '--replace-dns'], n);
      expect(await run(['run', NAME, '--replace-dns']), `${n}`).toBe('CUTOVER_GREEN');
      expect([cloudflare.count(/^DELETE /), cloudflare.count(/^PUT .*domains$/)], `${n}`).toEqual([1, 1]);
      expect([await issuerAt(NEW), await issuerAt(OLD)], `${n}`).toEqual([NEW, OLD]);
      expect((await journal())?.before.dns, `${n}`).toEqual([TUNNEL]);
      cloudflare.requests.length = 0;
      const back = await killed(['rollback'], n);
      if (back && (await journal())?.stage !== 'rolled_back') {
        expect(await run(['rollback']), `${n}`).toBe('ROLLBACK_COMPLETE');
      }
      expect(facts(), `${n}`).toEqual(before);
      expect([cloudflare.count(/^DELETE /), cloudflare.count(/^POST .*dns_records$/)], `${n}`).toEqual([1, 1]);
      if (!forth && !back) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThanOrEqual(EVERY ? 10 : STEPS.length);
  }, 1_200_000);
});

describe('the address before', () => {
  const BEFORE = 'herdr-mcp.somebody.workers.dev';
  const moveHere = async () => moveDevice(await openIdentity(stateDir), stateDir, NAME, env());

  it('serves until nobody uses it, and is then taken away, once, whatever breaks on the way', async () => {
    verifies('ab.cutover', 'edge.origins');
    await run(['run', NAME]);
    cloudflare.requests.length = 0;
    // This machine still comes by it.
    const used = await failure(run(['retire', BEFORE]));
    expect([used.code, used.message]).toEqual(['address_in_use', expect.stringContaining('worker move')]);
    expect((await failure(run(['retire', NAME]))).code).toBe('advertised_address');
    expect((await failure(run(['retire', 'herdr.elsewhere.net']))).code).toBe('no_such_address');
    await moveHere();
    expect(await run(['retire', BEFORE, '--dry-run'])).toBe('READY');
    expect(changes()).toEqual([]);

    const bad: Wrangler = {
      token: async () => 'stand-in-token',
      deploy: async ({ name, tag }) => {
        await cloudflare.place(name, uploaded, tag, { ORIGINS: 'https://else.example.org', STAGE: 'prod' });
        return { code: 0, said: '' };
      },
    };
    expect(await run(['retire', BEFORE], bad, 300)).toBe('ROLLBACK_COMPLETE');
    expect([await issuerAt(NEW), await issuerAt(OLD)]).toEqual([NEW, OLD]);

    let uploads = 0;
    const dying: Wrangler = {
      token: async () => 'stand-in-token',
      deploy: async (wish) => {
        uploads += 1;
        await quick().deploy(wish);
        throw new Error('killed');
      },
    };
    await expect(run(['retire', BEFORE], dying)).rejects.toThrow('killed');
    expect(await run(['retire', BEFORE], dying)).toBe('RETIRED');
    expect(uploads).toBe(1);
    expect([await issuerAt(NEW), await issuerAt(OLD)]).toEqual([NEW, NEW]);
    expect((await deployJournal(stateDir).read())?.origins).toEqual([NEW]);
    expect(cloudflare.account.domains.map(({ hostname }) => hostname)).toEqual([NAME]);
    expect(await run(['retire', BEFORE])).toBe('RETIRED');
    expect((await failure(run(['rollback']))).code).toBe('address_retired');
  });

  const at = (origin?: string) => (origin === undefined ? {} : { origin });
  it.each<[string, Partial<Fleet>, number]>([
    ['a workstation there', { devices: [{ name: 'desk', ...at(OLD) }] }, 1],
    ['a workstation elsewhere', { devices: [{ name: 'desk', ...at(NEW) }] }, 0],
    ['a workstation of which it is not known', { devices: [{ name: 'desk' }] }, 1],
    ['a connector there', { connectors: [{ connector_id: 'c', label: 'x', state: 'approved', ...at(OLD) }] }, 1],
    ['a connector elsewhere', { connectors: [{ connector_id: 'c', label: 'x', state: 'approved', ...at(NEW) }] }, 0],
    ['a connector of which it is not known', { connectors: [{ connector_id: 'c', label: 'x', state: 'approved' }] }, 1],
    ['a connector that ended', { connectors: [{ connector_id: 'c', label: 'x', state: 'revoked', ...at(OLD) }] }, 0],
    ['a client for CI there', { automations: [{ client_id: 'a', name: 'x', last_used_at_ms: 1, ...at(OLD) }] }, 1],
    ['a client for CI that was never used', { automations: [{ client_id: 'a', name: 'x' }] }, 0],
    [
      'a client for CI that ended',
      { automations: [{ client_id: 'a', name: 'x', last_used_at_ms: 1, revoked_at_ms: 2, ...at(OLD) }] },
      0,
    ],
  ])('is held by %s or not', (_, fleet, users) => {
    verifies('edge.origins');
    expect(usersIn(OLD, { devices: [], connectors: [], automations: [], ...fleet })).toHaveLength(users);
  });
});

describe('npm run cutover', () => {
  /** As a person runs it: another process, which trusts the stand-in's certificates. */
  async function command(...args: string[]): Promise<{ code: number | null; said: string }> {
    const trusted = join(folder, 'trusted.pem');
    writeFileSync(trusted, cloudflare.front.certificates.join('\n'));
    const given = { ...env(), HERDR_MCP_STATE_DIR: stateDir, NODE_EXTRA_CA_CERTS: trusted };
    const done = await runProgram(process.execPath, ['--no-warnings', join(ROOT, 'scripts', 'cutover.ts'), ...args], {
      env: given,
    });
    return { code: done.code, said: `${done.stdout}${done.stderr}` };
  }

  it('ends with 0 when it is green or ready, with 3 when it was rolled back, with 2 for everything else', async () => {
    verifies('ab.cutover');
    expect(await command('run', NAME, '--dry-run')).toMatchObject({ code: 0, said: expect.stringContaining('READY') });
    expect(await command('rollback')).toMatchObject({ code: 2, said: expect.stringContaining('nothing to undo') });
    expect(await command('nonsense')).toMatchObject({ code: 2 });
    expect(await run(['run', NAME])).toBe('CUTOVER_GREEN');
    expect(await command('run', NAME)).toMatchObject({ code: 0, said: expect.stringContaining('CUTOVER_GREEN') });
    expect(await command('status')).toMatchObject({ code: 0, said: expect.stringContaining(`${NAME}: green`) });
    expect(await command('rollback')).toMatchObject({ code: 3, said: expect.stringContaining('ROLLBACK_COMPLETE') });
  });
});

describe('the cutover refuses, and nothing is changed', () => {
  async function refused(args: string[], code: string): Promise<void> {
    expect((await failure(run(args))).code).toBe(code);
    expect(changes()).toEqual([]);
    expect(await journal()).toBeUndefined();
  }

  it('a name that has records, a name of another Worker, and one in no zone', async () => {
    cloudflare.account.dns.push({ ...TUNNEL });
    await refused(['run', NAME], 'dns_in_use');
    cloudflare.account.dns.length = 0;
    cloudflare.account.domains.push({ ...DOMAIN, hostname: NAME, service: 'another' });
    await refused(['run', NAME], 'domain_taken');
    await refused(['run', 'herdr.elsewhere.net'], 'zone_unknown');
  });

  it('through the link that it would cut', async () => {
    verifies('ab.cutover');
    const wish = readWish(['run', NAME]) as Extract<CutoverWish, { do: 'run' }>;
    const inside = { ...env(), HERDR_MCP_EXEC_ID: 'es_a_1' };
    const going = cutover({ wish, stateDir, env: inside, wrangler: quick(), say: () => undefined });
    expect((await failure(going)).code).toBe('managed_session');
    expect(cloudflare.requests).toEqual([]);
  });

  it('from a folder that has deployed nothing, and an address of before that is not well', async () => {
    const own = stateDir;
    stateDir = ensurePrivateDir(mkdtempSync(join(folder, 'state-')));
    await refused(['run', NAME], 'not_deployed');
    stateDir = own;
    cloudflare.hidden.add('herdr-mcp.somebody.workers.dev');
    await refused(['run', NAME], 'not_green');
  });

  it('a command line that means nothing', () => {
    for (const args of [[], ['run'], ['run', 'not a name'], ['run', NAME, 'more'], ['roll']]) {
      expect(() => readWish(args)).toThrow(expect.objectContaining({ code: 'usage' }));
    }
  });
});
