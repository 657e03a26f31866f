import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSecrets } from '../../local/secrets/index.ts';
import { verifies } from '../verifies.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-secrets-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** No desktop session: the Secret Service cannot be reached, as on a server. */
const noKeychain = {};

describe('secrets', () => {
  it('kept in files are 0600 and come back, and go away', async () => {
    verifies('local.secrets');
    const secrets = await openSecrets(dir, { backend: 'file' });
    expect(secrets.backend).toBe('file');
    expect(await secrets.get('device-key')).toBeUndefined();
    await secrets.set('device-key', 'value');
    expect(statSync(join(dir, 'keys', 'device-key')).mode & 0o777).toBe(0o600);
    expect(await (await openSecrets(dir, { backend: 'file' })).get('device-key')).toBe('value');
    await secrets.delete('device-key');
    await secrets.delete('device-key');
    expect(await secrets.get('device-key')).toBeUndefined();
  });

  it('go to files when the environment says so, and leave the keychain alone', async () => {
    const secrets = await openSecrets(dir, { env: { HERDR_MCP_SECRETS: 'file' } });
    expect(secrets.backend).toBe('file');
    expect(readdirSync(join(dir, 'keys'))).toEqual([]);
  });

  it('whose place was decided stay there: a keychain that is silent today is an error, not an empty store', async () => {
    verifies('local.secrets');
    const first = await openSecrets(dir, { env: noKeychain });
    if (first.backend === 'file') {
      writeFileSync(join(dir, 'keys', 'backend'), 'keychain\n', { mode: 0o600 });
      await expect(openSecrets(dir, { env: noKeychain })).rejects.toThrow(/does not answer/);
    } else {
      expect((await openSecrets(dir, { env: noKeychain })).backend).toBe('keychain');
    }
  });

  it('refuse a place that nobody knows', async () => {
    await expect(openSecrets(dir, { env: { HERDR_MCP_SECRETS: 'cloud' } })).rejects.toThrow(
      /HERDR_MCP_SECRETS says "cloud"/,
    );
  });

  it.each(['../x', 'a/b', '', 'A', 'backend', 'x'.repeat(65)])('refuse the name "%s"', async (name) => {
    const secrets = await openSecrets(dir, { backend: 'file' });
    expect(() => secrets.set(name, 'v')).toThrow(/is no name/);
  });
});
