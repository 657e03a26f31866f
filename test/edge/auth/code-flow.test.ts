import { reset } from 'cloudflare:test';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, callMcp, connectorsSeenBy, Device, poll } from './harness.ts';

afterEach(() => reset());

describe('a host signs in', () => {
  it('registers, is approved from a paired workstation, and calls with its token', async () => {
    const device = await Device.first();
    const client = await Client.register();
    const page = await client.openPage();
    expect(page.status).toBe(200);
    expect(page.code).toMatch(/^\d{6}$/);
    expect(await poll(page)).toMatchObject({ status: 202, state: 'pending' });

    const approved = await device.post('/connectors/approve', { code: page.code });
    expect(approved.status).toBe(200);

    const done = await poll(page);
    expect(done).toMatchObject({ status: 200, state: 'approved' });
    const target = new URL(done.redirect ?? '');
    expect(`${target.origin}${target.pathname}`).toBe('https://app.host.dev/callback');
    expect(target.searchParams.get('state')).toBe(client.state);
    expect(target.searchParams.get('iss')).toBe('https://edge.test');

    const answer = await client.exchange(target.searchParams.get('code') ?? '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const tokens = (await answer.json()) as Record<string, unknown>;
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 28_800, resource: 'https://edge.test/mcp' });
    expect(tokens['refresh_token']).toBeTypeOf('string');

    const called = await callMcp(String(tokens['access_token']));
    expect(called.status).toBe(200);
    expect(await called.json()).toMatchObject({ kind: 'connector', label: 'Test Host', readOnly: false });
    expect((await connectorsSeenBy(device)).connectors).toHaveLength(1);
  });
});
