import { describe, expect, it } from 'vitest';
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
