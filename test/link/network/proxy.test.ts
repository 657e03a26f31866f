import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDevice, writeDevice } from '../../../link/identity/index.ts';
import { proxyFor } from '../../../link/network/index.ts';
import { verifies } from '../../verifies.ts';
import { selfSigned } from '../support/certificate.ts';
import { LinkProcess } from '../support/link-process.ts';
import { until, Workstation } from '../support/workstation.ts';

describe('which proxy', () => {
  const https = { HTTPS_PROXY: 'http://proxy:3128' };
  const table: [string, string, Record<string, string>, string | undefined][] = [
    ['none', 'wss://edge.example/', {}, undefined],
    ['for https', 'wss://edge.example/', https, 'http://proxy:3128/'],
    ['in small letters', 'wss://edge.example/', { https_proxy: 'http://proxy:3128' }, 'http://proxy:3128/'],
    ['without a scheme', 'wss://edge.example/', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
    ['for everything', 'wss://edge.example/', { ALL_PROXY: 'http://all:1' }, 'http://all:1/'],
    ['not the one for http', 'wss://edge.example/', { HTTP_PROXY: 'http://plain:1' }, undefined],
    ['an empty one is none', 'wss://edge.example/', { HTTPS_PROXY: ' ' }, undefined],
    ['loopback never', 'ws://127.0.0.1:8787/', { ALL_PROXY: 'http://all:1' }, undefined],
    ['localhost never', 'ws://localhost:8787/', { ALL_PROXY: 'http://all:1' }, undefined],
    ['exempt by name', 'wss://edge.example/', { ...https, NO_PROXY: 'edge.example' }, undefined],
    ['exempt by domain', 'wss://my.edge.example/', { ...https, NO_PROXY: 'x, .edge.example' }, undefined],
    ['exempt by domain without a dot', 'wss://my.edge.example/', { ...https, no_proxy: 'edge.example' }, undefined],
    ['exempt by wildcard', 'wss://my.edge.example/', { ...https, NO_PROXY: '*.edge.example' }, undefined],
    ['not by a part of a name', 'wss://myedge.example/', { ...https, NO_PROXY: 'edge.example' }, 'http://proxy:3128/'],
    ['exempt altogether', 'wss://edge.example/', { ...https, NO_PROXY: '*' }, undefined],
    ['exempt with its port', 'wss://edge.example:8443/', { ...https, NO_PROXY: 'edge.example:8443' }, undefined],
    ['not with another port', 'wss://edge.example/', { ...https, NO_PROXY: 'edge.example:8443' }, 'http://proxy:3128/'],
    ['exempt by network', 'wss://10.1.2.3/', { ...https, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['not by another network', 'wss://11.1.2.3/', { ...https, NO_PROXY: '10.0.0.0/8' }, 'http://proxy:3128/'],
    [
      'a broken network exempts nothing',
      'wss://10.1.2.3/',
      { ...https, NO_PROXY: '10.0.0.0/99' },
      'http://proxy:3128/',
    ],
    ['IPv6 by network', 'wss://[fd00::1]/', { ...https, NO_PROXY: 'fd00::/8' }, undefined],
  ];
  it.each(table)('%s', (_, target, environment, proxy) => {
    verifies('link.proxy');
    expect(proxyFor(new URL(target), environment)?.href).toBe(proxy);
  });

  it.each(['socks5://proxy:1080', 'http://'])('%s is refused with one sentence', (address) => {
    expect(() => proxyFor(new URL('wss://edge.example/'), { HTTPS_PROXY: address })).toThrow('Nothing was sent');
  });
});

describe('behind a proxy, with a certificate authority of its own', () => {
  const HOST = 'edge.test';
  const tls = selfSigned(HOST);
  let at: Workstation;
  let proxy: http.Server;
  let link: LinkProcess | undefined;
  let requests: { target: string; authorization: string | undefined }[];
  let refuse: number | undefined;

  beforeEach(async () => {
    requests = [];
    refuse = undefined;
    link = undefined;
    // The token's audience is the name by which the device knows its edge, which this fake does not know.
    at = await new Workstation({ tls, publicKey: () => undefined }).prepare();
    proxy = http.createServer();
    proxy.on('connect', (request, client: net.Socket) => {
      requests.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
      if (refuse !== undefined) {
        client.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
        return;
      }
      const upstream = net.connect(at.edge.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      for (const socket of [client, upstream]) socket.on('error', () => {}); // cut on purpose
      client.on('close', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const device = await readDevice(at.stateDir);
    if (device === undefined) throw new Error('not paired');
    await writeDevice(at.stateDir, { ...device, edge_origin: `https://${HOST}:${at.edge.port}` });
    writeFileSync(join(at.stateDir, 'ca.pem'), tls.cert);
  });
  afterEach(async () => {
    link?.kill();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await at.stop();
  });

  const environment = (): Record<string, string> => ({
    HTTPS_PROXY: `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    NODE_EXTRA_CA_CERTS: join(at.stateDir, 'ca.pem'),
  });

  it('the link connects and serves', async () => {
    verifies('link.proxy');
    link = new LinkProcess(at.stateDir, [], environment());
    await link.connected();
    expect(requests[0]).toEqual({
      target: `${HOST}:${at.edge.port}`,
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    });
    const socket = at.socket();
    const call = socket.call();
    await until(() => socket.results.has(call));
    expect(link.err).not.toContain('secret');
  });

  it('an edge whose certificate nobody vouches for is not spoken to', async () => {
    verifies('link.proxy');
    const { HTTPS_PROXY = '' } = environment();
    link = new LinkProcess(at.stateDir, [], { HTTPS_PROXY });
    await until(() => link?.err.includes('self-signed certificate') === true);
    expect(at.edge.sockets).toEqual([]);
    expect(at.edge.tokens).toEqual([]);
  });

  it('a proxy that refuses is named, and asked again', async () => {
    verifies('link.proxy');
    refuse = 407;
    link = new LinkProcess(at.stateDir, [], environment());
    await until(() => requests.length >= 2);
    await until(() => link?.err.includes('answered 407 to CONNECT') === true);
    expect(link.err).not.toContain('secret');
    refuse = undefined;
    await link.connected();
  });
});
