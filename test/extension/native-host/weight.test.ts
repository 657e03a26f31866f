import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { program } from '../../support/program.ts';
import { place } from './port.ts';

it('a native host that waits has loaded neither a second HTTP client nor cryptography', async () => {
  const { options, remove } = place();
  try {
    const probe = join(options.home, 'probe.cjs');
    writeFileSync(probe, "process.once('exit', () => console.error(JSON.stringify(process.moduleLoadList)));\n");
    const registration = join(options.home, 'host.json');
    const origin = `chrome-extension://${'a'.repeat(32)}/`;
    writeFileSync(registration, JSON.stringify({ version: 1, origin, socket: join(options.home, 'x.sock') }));
    const args = [
      '--no-warnings',
      '--require',
      probe,
      await program('herdr-native-host'),
      '--registration',
      registration,
      origin,
    ];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end();
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const loaded = (JSON.parse(said) as string[]).filter((name) => name.startsWith('NativeModule '));
    expect(loaded).toContain('NativeModule http');
    for (const heavy of ['internal/deps/undici/undici', 'crypto', 'tls']) {
      expect(loaded).not.toContain(`NativeModule ${heavy}`);
    }
  } finally {
    remove();
  }
});
