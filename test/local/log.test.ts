import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../local/log/index.ts';
import { verifies } from '../verifies.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const dir = mkdtempSync(join(tmpdir(), 'hm-log-'));
  try {
    const file = join(dir, 'x.log');
    write(createLog({ name: 'test', file, level: 'info' }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJkZXZfMSJ9.c2lnbmF0dXJl';

describe('a log line', () => {
  it('is one JSON object with time, level, name and pid', () => {
    const line = logged((log) => log.warn({ device: 'dev_1' }, 'two\nlines'));
    expect(line.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      name: 'test',
      pid: process.pid,
      device: 'dev_1',
      msg: 'two\nlines',
    });
  });

  it.each<[string, object]>([
    ['a token', { token: 'SECRET' }],
    ['camel case', { accessToken: 'SECRET' }],
    ['snake case', { client_secret: 'SECRET' }],
    ['a header', { headers: { Authorization: 'SECRET', cookie: 'a=SECRET' } }],
    ['deep in lists', { list: [{ operator_secret: 'SECRET' }] }],
    ['a key', { privateKey: 'SECRET', api_key: 'SECRET' }],
    ['a verifier', { code_verifier: 'SECRET' }],
    ['an authorisation code', { code: 'SECRET:1/x' }],
    ['the cause of an error', { err: new Error('x', { cause: { password: 'SECRET' } }) }],
  ])('hides %s', (_, record) => {
    verifies('local.log');
    expect(logged((log) => log.info(record))).not.toContain('SECRET');
  });

  it('hides the six digits of a pairing or an approval, as text and as number', () => {
    const line = logged((log) => log.info({ code: '123456', pairing_code: 654321 }));
    expect(line).not.toMatch(/123456|654321/);
  });

  it.each([
    ['a bearer', `failed with Bearer ${'s'.repeat(40)}`, 'ssss'],
    ['a signed token', `sent ${JWT} once`, 'c2lnbmF0dXJl'],
    ['an address', 'GET https://x.example/cb?code=abcdef&state=ghijkl', 'abcdef'],
    ['a fragment', 'https://x.example/#access_token=abcdef', 'abcdef'],
  ])('hides %s inside a message and inside an error', (_, text, secret) => {
    verifies('local.log');
    expect(logged((log) => log.info(text))).not.toContain(secret);
    expect(logged((log) => log.error({ err: new Error(text) }, 'x'))).not.toContain(secret);
    expect(logged((log) => log.error(new Error(text)))).not.toContain(secret);
  });

  it('keeps what only looks like one', () => {
    const record = {
      code: 'ENOENT',
      close_code: 4409,
      exit_code: 137,
      token_count: 5,
      key: 'device-key',
      has_token: true,
    };
    expect(JSON.parse(logged((log) => log.info(record)))).toMatchObject(record);
    expect(
      JSON.parse(logged((log) => log.error({ err: Object.assign(new Error('m'), { code: 'EPIPE' }) }))),
    ).toMatchObject({
      err: { type: 'Error', message: 'm', code: 'EPIPE' },
    });
  });

  it('survives a record that contains itself', () => {
    const record: Record<string, unknown> = { name: 'x' };
    record['self'] = record;
    expect(logged((log) => log.info({ record }))).toContain('[nested]');
  });
});
