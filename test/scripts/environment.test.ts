import { describe, expect, it } from 'vitest';
import { withoutNpm } from '../../scripts/start/environment.ts';

const PERSON = { HOME: '/home/me', NPM_CONFIG_REGISTRY: 'https://registry.example', EDITOR: 'vim' };

describe('the environment of panes and commands', () => {
  it('is the person’s, without what npm added to it', () => {
    const under = {
      ...PERSON,
      npm_lifecycle_event: 'start',
      npm_config_local_prefix: '/src/clone',
      npm_package_name: 'herdr-mcp',
      INIT_CWD: '/src/project',
      NODE: '/usr/bin/node',
      COLOR: '1',
      PATH: [
        '/own/node/bin',
        '/src/clone/node_modules/.bin',
        '/src/node_modules/.bin',
        '/node_modules/.bin',
        '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin',
        '/src/other/node_modules/.bin',
        '',
        '/usr/bin',
      ].join(':'),
    };
    expect(withoutNpm(under, '/src/clone')).toEqual({
      ...PERSON,
      PATH: '/own/node/bin:/src/other/node_modules/.bin::/usr/bin',
    });
  });

  it('is left alone where npm did not start us, and may lack a PATH', () => {
    const env = { ...PERSON, INIT_CWD: '/x', PATH: '/src/clone/node_modules/.bin' };
    expect(withoutNpm(env, '/src/clone')).toEqual(env);
    expect(withoutNpm({ ...PERSON, npm_lifecycle_event: 'start' }, '/src/clone')).toEqual(PERSON);
  });
});
