import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/build/index.ts';
import { rehearse, type Scene } from '../../scripts/rehearse/index.ts';
import { verifies } from '../verifies.ts';

describe('the life of an installation', () => {
  it('install, update, bad updates that go back by themselves, rollback, uninstall: each state is right', async () => {
    verifies('ab.services');
    const told: string[] = [];
    const scenes = await rehearse((line) => told.push(line));
    const scene = (what: string): Scene =>
      scenes.find((one) => one.what.includes(what)) ?? (expect.fail(what) as never);
    const first = scene('up, as the service').state;
    expect(first).toMatchObject({ supervisor: 'running', refused: [] });

    const good = scene('good release');
    expect(good.code).toBe(0);
    expect(good.state.installed).toMatch(/^0\.90\.0-/);
    expect(good.state.serving).toMatch(/^0\.90\.0-/);
    expect(good.state.previous).toBe(first.serving);
    expect(scene('supervisor restarts').state).toMatchObject({ serving: good.state.serving, supervisor: 'running' });

    const silent = scene('does not start');
    expect([silent.code, silent.state.installed, silent.state.serving]).toEqual([
      1,
      good.state.installed,
      good.state.serving,
    ]);
    expect(silent.said).toContain('did not pass its gates');

    const dying = scene('dies when calls go to it');
    expect([dying.code, dying.state.installed, dying.state.serving]).toEqual([
      1,
      good.state.installed,
      good.state.serving,
    ]);
    expect(dying.state.refused).toEqual([expect.stringMatching(/^0\.92\.0-/)]);
    expect(scene('same bad release')).toMatchObject({ code: 1, state: dying.state });
    expect(scene('same bad release').said).toContain('stays refused');

    expect(scene('rollback by hand').state).toMatchObject({
      installed: scenes[0]?.state.installed,
      serving: first.serving,
    });
    const gone = { installed: undefined, serving: undefined, supervisor: 'none', wanted: 'nothing' };
    expect(scenes.find(({ what }) => what === 'uninstall')).toMatchObject({ code: 0, state: gone });
    expect(scene('up --service ended').code).toBe(0); // so that no service manager starts it again
    expect(scene('install again').state.installed).toBe(scenes[0]?.state.installed);
    expect(scene('uninstall --purge')).toMatchObject({ code: 0, state: gone });
    expect(told.at(-1)).toBe('Nothing is left of it.');
  });
});

it('a rehearsal that is ended early leaves neither a process nor a file', async () => {
  const temp = mkdtempSync(join(tmpdir(), 'hm-early-'));
  try {
    const child = spawn(process.execPath, [join(ROOT, 'scripts', 'rehearse.ts')], {
      env: { ...process.env, TMPDIR: temp },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes('== up, as the service would')) child.kill('SIGTERM');
    });
    const errors = text(child.stderr);
    expect(await ended).toEqual([130, null]);
    expect(await errors).toContain('Nothing is left of it.');
    expect(readdirSync(temp).filter((name) => name.startsWith('hm-'))).toEqual([]); // npm keeps a cache there
    const processes = execFileSync('ps', ['-eo', 'args']).toString().split('\n');
    expect(processes.filter((line) => line.includes(temp))).toEqual([]);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
});
