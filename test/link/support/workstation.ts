/** A paired state folder with a fake edge, a fake runtime and a real link, all in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVICE_KEY, type DeviceKey, generateDeviceKey, writeDevice } from '../../../link/identity/index.ts';
import { type RunningLink, type RunOptions, startLink } from '../../../link/run.ts';
import type { LinkStatus } from '../../../link/status/index.ts';
import { createLog } from '../../../local/log/index.ts';
import { openSecrets } from '../../../local/secrets/index.ts';
import { DEVICE_ID, FakeEdge, type FakeEdgeOptions, type FakeSocket } from './fake-edge.ts';
import { FakeRuntime } from './fake-runtime.ts';

export class Workstation {
  readonly stateDir = mkdtempSync(join(tmpdir(), 'hm-link-'));
  readonly key: DeviceKey = generateDeviceKey();
  readonly edge: FakeEdge;
  readonly runtime = new FakeRuntime();
  readonly statuses: LinkStatus[] = [];
  link: RunningLink | undefined;

  constructor(options: FakeEdgeOptions = {}) {
    this.edge = new FakeEdge({ publicKey: () => this.key.publicKey, ...options });
  }

  /** Edge and runtime listen, the folder is paired; the link does not run yet. */
  async prepare(): Promise<this> {
    await this.edge.listen();
    await this.runtime.listen();
    this.runtime.announce(this.stateDir);
    await this.pair();
    return this;
  }

  async pair(): Promise<void> {
    const secrets = await openSecrets(this.stateDir, { backend: 'file' });
    await secrets.set(DEVICE_KEY, this.key.secretText());
    await writeDevice(this.stateDir, {
      device_id: DEVICE_ID,
      name: 'Test machine',
      edge_origin: this.edge.origin,
      mcp_url: `${this.edge.origin}/mcp`,
      paired_at_ms: 0,
    });
  }

  async start(overrides: Partial<RunOptions> = {}): Promise<RunningLink> {
    this.link = await startLink({
      stateDir: this.stateDir,
      log: createLog({ name: 'link-test', level: 'silent' }),
      environment: {},
      changed: (status) => this.statuses.push(status),
      random: () => 0.05, // a short backoff; its length has a test of its own
      ...overrides,
    });
    return this.link;
  }

  /** Starts the link and resolves with the socket on which it was welcomed. */
  async connect(overrides: Partial<RunOptions> = {}): Promise<FakeSocket> {
    await this.start(overrides);
    await until(() => this.state === 'connected');
    return this.socket();
  }

  get state(): LinkStatus['state'] | undefined {
    return this.statuses.at(-1)?.state;
  }

  socket(): FakeSocket {
    const { latest } = this.edge;
    if (latest === undefined) throw new Error('no link has connected');
    return latest;
  }

  async stop(): Promise<void> {
    this.edge.acknowledge = true;
    for (const socket of this.edge.sockets) socket.acknowledgeAll();
    await this.link?.stop();
    await this.link?.ended;
    await this.edge.close();
    await this.runtime.close();
    rmSync(this.stateDir, { recursive: true, force: true });
  }
}

const realTimeout = globalThis.setTimeout;

/** A few real milliseconds, also under fake timers: what the other end of a loopback socket has sent is read by then. */
export const turn = (): Promise<void> => new Promise((resolve) => realTimeout(resolve, 5));

/** Resolves when the condition holds; the test's own time limit is the only one. Works under fake timers too. */
export async function until(condition: () => boolean): Promise<void> {
  do await turn();
  while (!condition());
  await turn();
}
