import net, { type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseDeviceToken } from '../../contract/fleet/index.ts';
import { readDevice, writeDevice } from '../../link/identity/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { verifies } from '../verifies.ts';
import { at } from './support/each.ts';
import { FakeRuntime } from './support/fake-runtime.ts';
import { TestClock } from './support/test-clock.ts';
import { until, Workstation } from './support/workstation.ts';

describe('a socket that ends', () => {
  it.each([1000, 1001, 1008, 1011, 1012, 4400, 4000])('with %i is followed by another', async (code) => {
    verifies('link.connect', 'link.close-codes');
    const socket = await at.connect();
    socket.socket.close(code, 'whatever');
    await until(() => at.edge.sockets.length === 2 && at.state === 'connected');
  });

  it('without a close frame is followed by another', async () => {
    await at.connect();
    at.edge.cut();
    await until(() => at.edge.sockets.length === 2 && at.state === 'connected');
  });

  it('counts as gone when its close frame arrives, although the transport stays open', async () => {
    verifies('link.liveness');
    const socket = await at.connect();
    const raw = (socket.socket as unknown as { _socket: { end(): void; destroy(): void } })._socket;
    raw.end = () => {};
    socket.socket.close(1012, 'deploy');
    await until(() => at.edge.sockets.length === 2 && at.state === 'connected');
  });

  it('is never the end of a link whose edge is away: it comes back when the edge does', async () => {
    await at.connect();
    const { port } = at.edge;
    await at.edge.close();
    await until(() => at.statuses.filter(({ state }) => state === 'connecting').length >= 3);
    expect(at.statuses.at(-1)?.why ?? '').not.toContain('herdr-auth');
    const again = new Workstation({ publicKey: () => at.key.publicKey });
    await again.edge.listen(port);
    await until(() => again.edge.sockets.length === 1);
    await at.link?.stop();
    await again.stop();
  });
});

describe('a link that was replaced', () => {
  it('parks, says so, and comes back only when the edge has no live link', async () => {
    verifies('link.close-codes');
    const clock = new TestClock();
    let connection = 'online';
    at.edge.routes.set(`GET /status/${'dev_01J0000000000000000000TEST'}`, (_body, authorization) => ({
      status: parseDeviceToken(authorization?.slice('Bearer '.length) ?? '') === undefined ? 401 : 200,
      body: { ok: true, connection },
    }));
    const socket = await at.connect({ clock });
    socket.socket.close(4409, 'a newer link of this device took over');
    await until(() => at.state === 'parked');
    expect(at.statuses.at(-1)?.why).toContain('a newer link of this device took over');
    await clock.pass(300_000);
    await until(() => at.edge.requests.length === 1);
    expect(at.edge.sockets).toHaveLength(1);
    connection = 'offline';
    await clock.pass(300_000);
    await until(() => at.edge.sockets.length === 2);
  });

  it('stays parked while the edge cannot be asked', async () => {
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    socket.socket.close(4409, '');
    await until(() => at.state === 'parked');
    await clock.pass(300_000);
    await until(() => at.edge.requests.length === 1);
    await clock.pass(300_000);
    await until(() => at.edge.requests.length === 2);
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('two links of one device displace each other exactly once, then all is quiet', async () => {
    verifies('link.close-codes');
    const first = await at.connect();
    const twin = new Workstation({ publicKey: () => at.key.publicKey });
    await twin.prepare();
    const store = await openSecrets(twin.stateDir, { backend: 'file' });
    await store.set('device-key', at.key.secretText());
    const device = await readDevice(twin.stateDir);
    if (device === undefined) throw new Error('the twin is not paired');
    await writeDevice(twin.stateDir, { ...device, edge_origin: at.edge.origin });
    at.edge.onHello = (hello, socket) => {
      for (const other of at.edge.sockets) if (other !== socket) other.socket.close(4409, 'replaced');
      return at.edge.welcome(hello);
    };
    await twin.start();
    await until(() => at.state === 'parked' && twin.state === 'connected');
    expect(at.edge.sockets).toHaveLength(2);
    expect(first.closed?.code ?? 4409).toBe(4409);
    await twin.stop();
  });
});

describe('a link whose contract is refused', () => {
  it.each(['close code', 'refusal'])('(%s) waits for a promotion', async (how) => {
    verifies('link.close-codes');
    let accept = false;
    at.edge.onHello = (hello, socket) => {
      if (accept) return at.edge.welcome(hello);
      if (how === 'refusal') return { kind: 'refuse', reason: 'contract', message: 'epoch 9 is not served here' };
      socket.socket.close(4403, 'epoch 9 is not served here');
      return undefined;
    };
    await at.start();
    await until(() => at.state === 'awaiting_promotion');
    expect(at.statuses.at(-1)?.why).toContain('epoch 9');
    accept = true;
    const next = await new FakeRuntime('b').listen();
    next.announce(at.stateDir, true, 2);
    await until(() => at.state === 'connected');
    await next.close();
  });

  it('or for ten minutes', async () => {
    const clock = new TestClock();
    at.edge.onHello = (_hello, socket) => {
      socket.socket.close(4403, '');
      return undefined;
    };
    await at.start({ clock });
    await until(() => at.state === 'awaiting_promotion');
    await clock.pass(599_000);
    expect(at.edge.sockets).toHaveLength(1);
    await clock.pass(1_000);
    await until(() => at.edge.sockets.length === 2);
  });
});

describe('an upgrade that is refused', () => {
  it('for the time is tried again at once with the edge’s clock, once', async () => {
    verifies('fleet.device-auth');
    const offsetMs = 3_600_000;
    const issued: number[] = [];
    at.edge.refuseUpgrade = (token) => {
      const iat = parseDeviceToken(token ?? '')?.claims.iat ?? 0;
      issued.push(iat);
      const edgeNowMs = Date.now() + offsetMs;
      if (Math.abs(iat * 1000 - edgeNowMs) < 5_000) return undefined;
      return { status: 401, body: { ok: false, code: 'device_clock_skew', message: 'the clock', now_ms: edgeNowMs } };
    };
    await at.connect();
    expect(issued).toHaveLength(2);
    expect(Math.abs((at.statuses.at(-1)?.clock_offset_ms ?? 0) - offsetMs)).toBeLessThan(5_000);
  });

  it('is not a reason to give up: a gateway’s page, a wrong device, too many requests', async () => {
    const answers = [
      { status: 502, headers: { 'content-type': 'text/html' } },
      { status: 401, body: { ok: false, code: 'device_auth_failed', message: 'no' } },
      { status: 429, body: { ok: false, code: 'rate_limited', message: 'slow down' } },
    ];
    at.edge.refuseUpgrade = () => answers.shift();
    await at.connect({ random: () => 0 });
    expect(at.statuses.filter(({ state }) => state === 'reconnecting').map(({ why }) => why)).toEqual([
      expect.stringContaining('502'),
      expect.stringContaining('401'),
      expect.stringContaining('429'),
    ]);
  });

  it('because the device is suspended waits for a person', async () => {
    at.edge.refuseUpgrade = () => ({
      status: 403,
      body: { ok: false, code: 'device_suspended', message: 'Test machine is suspended.' },
    });
    await at.start();
    await until(() => at.state === 'refused');
    expect(at.statuses.at(-1)?.why).toContain('suspended');
    at.edge.refuseUpgrade = undefined;
    at.link?.retry();
    await until(() => at.state === 'connected');
  });

  it('because the device was revoked is the end', async () => {
    at.edge.refuseUpgrade = () => ({ status: 401, body: { ok: false, code: 'device_revoked', message: 'revoked' } });
    const link = await at.start();
    expect(await link.ended).toBe('revoked');
  });
});

describe('an edge that is there and dead', () => {
  it('accepts connections and never answers the upgrade: the link tries again', async () => {
    verifies('link.liveness');
    const clock = new TestClock();
    let connections = 0;
    const dead = net.createServer((socket) => {
      connections += 1;
      socket.on('error', () => {}); // the link gives up on purpose
      socket.write('HTTP/1.1 101 Switch');
    });
    await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
    const { port } = dead.address() as AddressInfo;
    const device = await readDevice(at.stateDir);
    if (device === undefined) throw new Error('not paired');
    await writeDevice(at.stateDir, { ...device, edge_origin: `http://127.0.0.1:${port}` });
    const link = await at.start({ clock });
    await until(() => connections === 1);
    await clock.pass(13_000);
    await until(() => connections === 2);
    expect(at.statuses.some(({ why }) => why.includes('handshake took too long'))).toBe(true);
    await link.stop();
    dead.close();
  });

  it('accepts and never answers the hello: the link says that it is not connected, and tries again', async () => {
    verifies('link.liveness');
    const clock = new TestClock();
    at.edge.onHello = () => undefined;
    await at.start({ clock });
    await until(() => at.edge.latest?.of('hello').length === 1);
    await clock.pass(11_000);
    await until(() => at.edge.sockets.length === 2);
    expect(at.statuses.map(({ state }) => state)).not.toContain('connected');
  });

  it('stops answering pings: noticed after two missed ones and a margin', async () => {
    verifies('link.liveness');
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    socket.socket.removeAllListeners('message');
    await clock.pass(44_000);
    expect(at.state).toBe('connected');
    await clock.pass(6_000);
    await until(() => at.edge.sockets.length === 2);
  });

  it('keeps a link whose pings are answered, for as long as it likes', async () => {
    verifies('link.liveness');
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    for (let pings = 1; pings <= 6; pings += 1) {
      await clock.pass(20_000);
      await until(() => socket.pongs === pings);
    }
    expect(at.state).toBe('connected');
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('is noticed within seconds after the laptop slept', async () => {
    verifies('link.liveness');
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    socket.socket.removeAllListeners('message');
    clock.sleep(3_600_000);
    await clock.pass(10_000);
    await until(() => at.edge.sockets.length === 2);
  });

  it('is not assumed after sleep: a socket that still answers is kept', async () => {
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    clock.sleep(3_600_000);
    await clock.pass(5_000);
    await until(() => socket.pongs === 1);
    await clock.pass(15_000);
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('does not keep a link from stopping', async () => {
    at.edge.onHello = () => undefined;
    const link = await at.start();
    await until(() => at.edge.latest !== undefined);
    await link.stop();
    expect(await link.ended).toBe('stopped');
  });
});
