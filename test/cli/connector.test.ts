import { describe, expect, it } from 'vitest';
import { chooseRequest } from '../../cli/connector/choose.ts';
import { appOf, connectorRows, requestRows } from '../../cli/connector/words.ts';
import type { Connector } from '../../contract/fleet/index.ts';
import { APP, CONNECTOR, request } from './sign-ins.ts';

describe('choosing a sign-in', () => {
  const one = request(1);
  const two = request(2);
  const locked = request(3, 'locked');

  it('takes the only one that waits', () => {
    expect(chooseRequest([locked, one], undefined, 'u')).toMatchObject({ one });
  });

  it('never chooses among several', () => {
    expect(chooseRequest([one, two], undefined, 'u')).toEqual({ several: true, open: [one, two] });
  });

  it('takes the one that is named, and only while it waits', () => {
    expect(chooseRequest([one, two], two.request_id, 'u')).toMatchObject({ one: two });
    expect(chooseRequest([one, locked], locked.request_id, 'u')).toMatchObject({
      refused: { message: expect.stringContaining('is locked') },
    });
    expect(chooseRequest([one], 'req_x', 'u')).toMatchObject({
      refused: { message: expect.stringContaining('is not open') },
    });
  });

  it('says what to do when none waits', () => {
    expect(chooseRequest([locked], undefined, 'https://edge.example/mcp')).toMatchObject({
      refused: { code: 'no_request', next: expect.stringContaining('https://edge.example/mcp') },
    });
  });
});

describe('what is shown of an app', () => {
  it('is its claim, marked, or the domain that it proves', () => {
    expect(appOf(APP)).toBe('unverified: "Some AI"');
    expect(appOf({ ...APP, name: 'X (chatgpt.com) "Approved": yes' })).toBe(
      'unverified: "X (chatgpt.com) \\"Approved\\": yes"',
    );
    expect(appOf({ ...APP, verified_domain: 'ai.example' })).toBe('ai.example: "Some AI"');
  });

  it('carries redirect host, scopes and age of each sign-in', () => {
    expect(requestRows([request(1)], 61_000)[1]).toEqual([
      'req_0000000000000001',
      'unverified: "Some AI"',
      'ai.example',
      'mcp',
      '1 min',
      'waiting',
    ]);
  });

  it('says what a connector may', () => {
    const connector: Connector = { ...CONNECTOR, read_only: true, device_id: CONNECTOR.approved_by };
    expect(connectorRows([connector], 0)[1]).toContain('read, dev_00000000000000000000000000');
    const { device_id: _, ...everywhere } = connector;
    expect(connectorRows([{ ...everywhere, read_only: false, last_used_at_ms: 0 }], 7_200_000)[1]).toEqual([
      connector.connector_id,
      'Some AI',
      'unverified: "Some AI"',
      'read and write, every device',
      'approved',
      '2 h ago',
    ]);
  });
});
