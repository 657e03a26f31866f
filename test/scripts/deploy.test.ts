import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readDevice } from '../../link/identity/index.ts';
import { requestEdge } from '../../link/network/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { edgeSources, ROOT } from '../../scripts/build/index.ts';
import { type Wrangler, wranglerOf } from '../../scripts/cloudflare/index.ts';
import { deploy, deployJournal, readWish } from '../../scripts/deploy/index.ts';
import { CloudflareStandIn, type VersionAt } from '../support/cloudflare/index.ts';
import { verifies } from '../verifies.ts';
import { failure } from './failure.ts';

/** The real wrangler bundles the real Worker, which a busy machine needs a while for. */
const WRANGLER_MS = 300_000;
// Every test starts workerd several times, and some a command as well.
vi.setConfig({ testTimeout: 120_000 });

const HOST = 'herdr-mcp.somebody.workers.dev';
const ORIGIN = `https://${HOST}`;
const folder = mkdtempSync(join(tmpdir(), 'hm-deploy-'));
const cloudflare = new CloudflareStandIn(join(folder, 'cloudflare'), [HOST, 'herdr-mcp.fresh.workers.dev']);
let clone: { bindings: ReadonlySet<string>; digest: string };
let stateDir: string;
let said: string[];
let wrangled: string[][];

beforeAll(async () => {
  await cloudflare.start();
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...cloudflare.front.certificates]);
  clone = await edgeSources();
}, WRANGLER_MS);
afterAll(async () => {
  await cloudflare.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await cloudflare.reset();
  stateDir = ensurePrivateDir(mkdtempSync(join(folder, 'state-')));
  said = [];
  wrangled = [];
});

const env = () => ({ ...process.env, ...cloudflare.env });

function run(args: string[] = [], wrangler: Wrangler = watched()) {
  return deploy({
    wish: readWish(args),
    stateDir,
    env: env(),
    wrangler,
    clone,
    say: (line) => said.push(line),
    waits: {
      api: { timeoutMs: 20_000, readAgainMs: [10, 10] },
      lookAgainMs: [10, 10],
      probe: { everyMs: 50, withinMs: 10_000 },
      operator: { everyMs: 50, tries: 3 },
    },
  });
}

/** The real wrangler, and what it was told. */
function watched(): Wrangler {
  const real = wranglerOf(ROOT, env());
  return {
    token: () => real.token(),
    deploy: (options) => {
      wrangled.push(Object.entries(options.vars).flat());
      return real.deploy(options);
    },
  };
}

const secretsOf = () => cloudflare.account.scripts.get('herdr-mcp')?.secrets ?? {};

/** Everything that a deploy leaves on this machine, except the key store. */
function leftBehind(at: string): string {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/keys'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

/** Uploads what the first test uploaded, without bundling it again: what follows is about everything else. */
let uploaded: VersionAt | undefined;
function quick(
  deployed: () => Promise<{ code: number | null; said: string }> = async () => ({ code: 0, said: '' }),
): Wrangler {
  return {
    token: async () => 'stand-in-token',
    deploy: async ({ name, tag, vars }) => {
      if (!uploaded) throw new Error('the first test uploads');
      await cloudflare.place(name, uploaded, tag, vars);
      return deployed();
    },
  };
}

/** What changes something at Cloudflare, beside the upload. */
const CHANGES = ['POST .*/herdr-mcp/subdomain', 'PUT .*/secrets', 'DELETE .*/secrets/OPERATOR_SECRET'] as const;

const changes = () => cloudflare.requests.filter((request) => !request.startsWith('GET '));

describe('npm run deploy', () => {
  it(
    'brings up an edge, pairs this machine, and leaves no operator secret; a second run only uploads anew',
    async () => {
      verifies('ab.cutover');
      const done = await run();
      expect(done).toMatchObject({ origin: ORIGIN, mcpUrl: `${ORIGIN}/mcp` });
      expect(Object.keys(secretsOf())).toEqual(['CODE_SECRET']);
      uploaded = cloudflare.account.scripts.get('herdr-mcp')?.versions.at(-1);
      const device = await readDevice(stateDir);
      expect(device?.edge_origin).toBe(ORIGIN);
      expect(done?.deviceId).toBe(device?.device_id);
      const health = await requestEdge({ method: 'GET', url: new URL('/health', ORIGIN), environment: env() });
      expect(health.body).toMatchObject({ stage: 'prod', service: 'herdr-mcp-edge' });
      expect(said).toContain('The operator secret was removed, and the edge refuses it.');
      expect(readdirSync(join(stateDir, 'keys')).filter((name) => name.includes('operator'))).toEqual([]);
      const code = secretsOf()['CODE_SECRET'] ?? '';
      expect(code).toMatch(/^[\w-]{43}$/);
      for (const text of [leftBehind(stateDir), said.join('\n'), wrangled.flat().join('\n')]) {
        expect(text).not.toContain(code);
        expect(text).not.toContain('stand-in-token');
      }

      // A person set a variable by hand meanwhile, and an address was added: both stay.
      const now = cloudflare.account.scripts.get('herdr-mcp')?.versions[0];
      now?.bindings.push({ name: 'DEFAULT_DEVICE', type: 'plain_text', text: 'desk' });
      cloudflare.requests.length = 0;
      await run();
      expect(cloudflare.count(/^POST .*\/(versions|deployments)$/)).toBe(2);
      const bindings = cloudflare.account.scripts.get('herdr-mcp')?.versions[0]?.bindings;
      expect(bindings?.find(({ name }) => name === 'ORIGINS')?.text).toBe(ORIGIN);
      expect(secretsOf()).toEqual({ CODE_SECRET: code });
      expect(cloudflare.count(/secrets/)).toBe(cloudflare.count(/^GET .*secrets/));
      expect((await readDevice(stateDir))?.device_id).toBe(device?.device_id);
    },
    WRANGLER_MS,
  );

  it(
    'an upload whose answer is lost counts as what it is: it serves',
    async () => {
      verifies('ab.cutover');
      cloudflare.faults = [{ on: /^PUT .*\/scripts\/herdr-mcp$/, kind: 'silent_after', times: 1 }];
      await run();
      expect(
        cloudflare.account.scripts.get('herdr-mcp')?.versions.filter((one) => 'workers/tag' in one.annotations),
      ).toHaveLength(1);
      expect(await readDevice(stateDir)).toBeDefined();
    },
    WRANGLER_MS,
  );

  it.each(['fail_before', 'fail_after', 'silent_after', 'page_after'] as const)(
    'every change once more only when it certainly did not happen: %s',
    async (kind) => {
      verifies('ab.cutover');
      cloudflare.faults = CHANGES.map((on) => ({ on: new RegExp(`^${on}$`), kind }));
      await run([], quick());
      const once = kind === 'fail_before' ? 1 : 0; // how often each was sent in vain
      expect(CHANGES.map((on) => cloudflare.count(new RegExp(`^${on}$`)))).toEqual([1 + once, 2 + once, 1 + once]);
      expect(Object.keys(secretsOf())).toEqual(['CODE_SECRET']);
      expect((await readDevice(stateDir))?.edge_origin).toBe(ORIGIN);
    },
  );

  it('stopped after any change, before it could note it, the next run goes on and repeats nothing', async () => {
    verifies('ab.cutover');
    const blind = (on: string) => {
      // It acts, the answer is lost, and so is every look: the process ends knowing nothing.
      cloudflare.faults = [
        {
          on: new RegExp(`^${on}$`),
          kind: 'race',
          meanwhile: () => cloudflare.faults.unshift({ on: /^GET /, kind: 'fail_before', times: 99 }),
        },
      ];
    };
    for (const on of [...CHANGES.slice(0, 2), CHANGES[1], CHANGES[2]]) {
      blind(on);
      expect((await failure(run([], quick()))).code).toBe('cloudflare_silent');
    }
    cloudflare.faults = [];
    await run([], quick());
    expect(changes().map((request) => request.replace(/.*\/scripts\//, ''))).toEqual([
      'herdr-mcp/subdomain',
      'herdr-mcp/secrets',
      'herdr-mcp/secrets',
      'herdr-mcp/secrets/OPERATOR_SECRET',
    ]);
    expect(
      cloudflare.account.scripts.get('herdr-mcp')?.versions.filter((one) => 'workers/tag' in one.annotations),
    ).toHaveLength(1);
    expect((await deployJournal(stateDir).read())?.operator).toBe('dead');
    expect(Object.keys(secretsOf())).toEqual(['CODE_SECRET']);
  });

  it('a dry run prints the plan with the rights, and changes nothing here or there', async () => {
    verifies('ab.cutover');
    expect(await run(['--dry-run'], quick())).toBeUndefined();
    expect(said.join('\n')).toMatch(
      /create the Worker herdr-mcp.*\n.*serve https:\/\/herdr-mcp\.somebody\.workers\.dev/,
    );
    expect(said.join('\n')).toContain('Account Settings: Read; Workers Scripts: Edit');
    expect(changes()).toEqual([]);
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it('an edge that has a workstation already lets no second one in, and keeps no operator secret', async () => {
    await run([], quick());
    const first = stateDir;
    stateDir = ensurePrivateDir(mkdtempSync(join(folder, 'state-')));
    expect((await failure(run([], quick()))).code).toBe('edge_has_workstations');
    expect(Object.keys(secretsOf())).toEqual(['CODE_SECRET']);
    expect(await readDevice(stateDir)).toBeUndefined();
    expect(await readDevice(first)).toBeDefined();
  });

  it('somebody who sets another operator secret at the same time: told, removed, and the next run is well', async () => {
    await cloudflare.place('herdr-mcp', uploaded as VersionAt, 'hm-before', { ORIGINS: ORIGIN, STAGE: 'prod' });
    cloudflare.faults = [
      {
        on: /^PUT .*\/secrets$/,
        kind: 'race',
        times: 1,
        meanwhile: () => Object.assign(secretsOf(), { OPERATOR_SECRET: 'of-somebody-else' }),
      },
    ];
    await run([], quick()); // theirs was there before ours was begun, so it was taken away first
    expect(Object.keys(secretsOf())).toEqual(['CODE_SECRET']);
  });
});

describe('npm run deploy refuses before anything is changed', () => {
  async function refused(args: string[], code: string, sentence: RegExp, wrangler = quick()): Promise<void> {
    const error = await failure(run(args, wrangler));
    expect([error.code, error.sentence]).toEqual([code, expect.stringMatching(sentence)]);
    expect(changes()).toEqual([]);
    expect(readdirSync(stateDir)).toEqual([]);
  }

  it('a Worker of that name that is none of ours, and one with a binding that would be lost', async () => {
    const other = { ...(uploaded as VersionAt), bindings: [{ name: 'X', type: 'kv_namespace' }] };
    await cloudflare.place('herdr-mcp', other, 'theirs', {});
    await refused([], 'other_worker', /is no edge of herdr-mcp.*--name/);
    const more = {
      ...(uploaded as VersionAt),
      bindings: [...(uploaded as VersionAt).bindings, { name: 'BUCKET', type: 'r2_bucket' }],
    };
    await cloudflare.place('herdr-mcp', more, 'more', {});
    await refused([], 'unknown_binding', /BUCKET \(r2_bucket\)/);
  });

  it('no workers.dev name, unless one is wished, which is then registered', async () => {
    cloudflare.account.subdomain = undefined;
    await refused([], 'no_subdomain', /--subdomain/);
    cloudflare.faults = [{ on: /^PUT .*\/workers\/subdomain$/, kind: 'fail_after' }];
    const done = await run(['--subdomain', 'fresh'], quick());
    expect(done?.origin).toBe('https://herdr-mcp.fresh.workers.dev');
    expect(cloudflare.count(/^PUT .*\/workers\/subdomain$/)).toBe(1);
  });

  it('a login without the rights, and none', async () => {
    cloudflare.faults = [{ on: /^GET .*\/settings$/, kind: 'refuse' }];
    await refused([], 'cloudflare_rights', /lacks a right.*docs\/operate\.md/);
    const { CLOUDFLARE_API_TOKEN: _, ...without } = env();
    await refused([], 'cloudflare_login', /npx wrangler login/, wranglerOf(ROOT, without));
  });

  it('a folder of another edge', async () => {
    await run([], quick());
    cloudflare.requests.length = 0;
    expect((await failure(run(['--name', 'second'], quick()))).code).toBe('other_edge');
    expect(changes()).toEqual([]);
  });

  it.each([['--nmae'], ['--name', 'Not A Name'], ['--stage', 'a b'], ['extra']])('usage: %s %s', (...args) => {
    expect(() => readWish(args)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
