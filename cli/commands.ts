import { defineCommand } from 'citty';
import { VERSION } from '../local/version/index.ts';
import { agent } from './agent/index.ts';
import { artifact } from './artifact/index.ts';
import { audit } from './audit/index.ts';
import { automation } from './automation/index.ts';
import { broker } from './broker/index.ts';
import { action } from './command.ts';
import { config } from './config/index.ts';
import { connector } from './connector/index.ts';
import { continuity } from './continuity/index.ts';
import { dispatch } from './dispatch/index.ts';
import { doctor } from './doctor/index.ts';
import { runtime } from './generations/index.ts';
import { herdr } from './herdr/index.ts';
import { install, rollback, service, uninstall, update } from './install/index.ts';
import { link } from './link.ts';
import { logs } from './logs/index.ts';
import { mcp } from './mcp/index.ts';
import { memory } from './memory/index.ts';
import { nativeHost } from './native-host/index.ts';
import { pause, resume } from './pause/index.ts';
import { scan } from './scan/index.ts';
import { semantic } from './semantic/index.ts';
import { status } from './status/index.ts';
import { say } from './terminal/index.ts';
import { top } from './top/index.ts';
import { down, up } from './up/index.ts';
import { webchat } from './webchat/index.ts';
import { worker } from './worker/index.ts';

const version = action('version', 'Which version this is', {}, () => say(VERSION));

/** Everything that `herdr-mcp` can do. */
export const herdrMcp = defineCommand({
  meta: { name: 'herdr-mcp', version: VERSION, description: 'A workstation for your web AI' },
  subCommands: {
    install,
    update,
    rollback,
    uninstall,
    up,
    down,
    pause,
    resume,
    status,
    top,
    doctor,
    logs,
    service,
    runtime,
    connector,
    worker,
    continuity,
    memory,
    dispatch,
    agent,
    webchat,
    mcp,
    scan,
    semantic,
    herdr,
    link,
    'native-host': nativeHost,
    automation,
    artifact,
    audit,
    broker,
    config,
    version,
  },
});
