/** What runs here: supervisor and service, Herdr, the runtime as five places see it, link, and the browser's way in. */
import { homedir } from 'node:os';
import { nativeHostStatus } from '../../extension/native-host/index.ts';
import { readDevice, readLinkStatus, requestRetry } from '../../link/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { readDesired, readObserved, readPointer, readRecord } from '../../runtime-a-b/generations/index.ts';
import { gatherFacts, readiness } from '../generations/index.ts';
import { openHerdr } from '../herdr/index.ts';
import { managerHere, servicePlan } from '../install/index.ts';
import { currentRelease } from '../release/index.ts';
import { START } from '../start-it.ts';
import { askRuntime, linkSentence } from '../status/index.ts';
import { type Check, Note } from './check.ts';

export const WORKSTATION: readonly Check[] = [
  {
    name: 'supervisor',
    after: ['state folder'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const [{ up, observed }, desired] = await Promise.all([readObserved(stateDir), readDesired(stateDir)]);
      if (desired?.running === false) return STOPPED;
      if (!up) {
        const isInstalled = (await currentRelease(stateDir)) !== undefined;
        throw new LocalError(
          'up_absent',
          'Nothing runs this workstation.',
          isInstalled
            ? 'herdr-mcp install starts its service; herdr-mcp up runs it in a terminal.'
            : `${START}, or herdr-mcp install`,
        );
      }
      if (observed?.state === 'degraded') {
        throw new LocalError(
          'up_degraded',
          `The supervisor (process ${up.pid}) runs, and not everything does: ${observed.trouble ?? 'it does not say why'}`,
          'herdr-mcp logs',
        );
      }
      return `process ${up.pid}, ${observed?.state ?? 'starting'}`;
    },
    fix: async (env) => {
      const stateDir = resolveStateDir(env);
      const manager = await managerHere(env, homeOf(env), resolveStateDir(env));
      const isOurs = manager && (await manager.state()) !== 'absent';
      if (!isOurs || (await readObserved(stateDir)).up) return undefined;
      await manager.restart();
      await settled(stateDir);
      return `started the ${manager.kind} service`;
    },
  },
  {
    name: 'service',
    after: ['state folder'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const manager = await managerHere(env, homeOf(env), resolveStateDir(env));
      const release = await currentRelease(stateDir);
      if (!manager)
        return new Note('no service manager works in this login', 'herdr-mcp up runs everything in a terminal.');
      const state = await manager.state();
      if (state === 'absent') {
        return release
          ? new Note(`${release.version} is installed without a service`, 'herdr-mcp install sets one up.')
          : new Note('not installed', 'herdr-mcp install');
      }
      if (state === 'failed')
        throw new LocalError('service_failed', `The ${manager.kind} service failed.`, 'herdr-mcp logs');
      const stale = await manager.differs(servicePlan({ stateDir, env }));
      if (stale) {
        throw new LocalError(
          'service_stale',
          `The ${manager.kind} service starts with another Node or PATH than this terminal has, so tools may not be found.`,
          'herdr-mcp doctor --fix takes over what this terminal has; or herdr-mcp install',
        );
      }
      return `${manager.kind}, ${state}${release ? `, release ${release.id}` : ''}`;
    },
    fix: async (env) => {
      const stateDir = resolveStateDir(env);
      const manager = await managerHere(env, homeOf(env), resolveStateDir(env));
      if (!manager || (await manager.state()) === 'absent') return undefined;
      const changed = await manager.write(servicePlan({ stateDir, env }));
      if ((await readDesired(stateDir))?.running === false) return changed ? 'rewrote the service’s units' : undefined;
      await manager.restart();
      await settled(stateDir);
      return 'rewrote the service’s units and started it anew; what runs went on';
    },
  },
  {
    name: 'herdr',
    after: [],
    look: async (env) => {
      const client = await openHerdr(undefined, env);
      const pong = await client.call('ping', {}, { timeoutMs: HERDR_MS });
      const { version, protocol } = pong as { version?: string; protocol?: number };
      const said = `${version} (protocol ${protocol})${version?.includes('embedded') ? ', embedded' : ''}`;
      return (protocol ?? 0) > PROTOCOL_TESTED
        ? new Note(`${said}, newer than was tested`, 'Nothing to do: every method is checked against what it offers.')
        : said;
    },
  },
  {
    name: 'runtime',
    after: ['state folder'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      if (await isStopped(stateDir)) return STOPPED;
      const pointer = await readPointer(stateDir);
      const record = pointer && (await readRecord(stateDir, pointer.generation));
      if (!record) throw new LocalError('runtime_absent', 'No generation is active.', `${START}, or herdr-mcp install`);
      const answer = await askRuntime(record.port);
      if (answer.state === 'answers') return `generation ${record.generation} answers on port ${record.port}`;
      const why = answer.state === 'absent' ? 'nothing listens' : answer.why;
      throw new LocalError(
        'runtime_silent',
        `Generation ${record.generation}, port ${record.port}: ${why}.`,
        'herdr-mcp logs',
      );
    },
  },
  {
    name: 'link',
    after: ['pairing'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const report = await readLinkStatus(stateDir);
      const sentence = linkSentence(report, Date.now());
      if (!report.running && (await isStopped(stateDir))) return STOPPED;
      if (report.running && report.status?.state === 'connected') return sentence;
      const device = await readDevice(stateDir);
      const next = report.running
        ? `It tries by itself; herdr-mcp link retry tries now. Check that ${device?.edge_origin ?? 'the edge'} can be reached.`
        : `${START}, or herdr-mcp install`;
      throw new LocalError('link_down', `${sentence}.`, next);
    },
    fix: async (env) => (requestRetry(resolveStateDir(env)) ? 'asked the link to try now' : undefined),
  },
  {
    name: 'five places',
    after: ['runtime', 'link'],
    look: async (env) => {
      if (await isStopped(resolveStateDir(env))) return STOPPED;
      const { ready, places } = readiness(await gatherFacts(resolveStateDir(env)));
      if (ready) return 'installed, running, active, leased and reported are the same generation';
      const wrong = places.filter(({ ok }) => ok !== true).map(({ place, fact }) => `${place}: ${fact}`);
      throw new LocalError('not_ready', `${wrong.join('; ')}.`, 'herdr-mcp runtime status');
    },
  },
  {
    name: 'extension host',
    after: ['state folder'],
    look: async (env) => {
      const place = {
        platform: process.platform,
        home: homeOf(env),
        env,
        stateDir: resolveStateDir(env),
        now: () => new Date(),
      };
      const status = nativeHostStatus(place);
      if (!status.installed)
        return new Note('not installed', 'For the browser extension: herdr-mcp native-host install');
      const wrong = status.browsers.filter(({ state }) => state === 'foreign' || state === 'outdated');
      if (wrong.length > 0) {
        throw new LocalError(
          'native_host_differs',
          `${wrong.map(({ name, state }) => `${name}: ${state}`).join(', ')}.`,
          'herdr-mcp native-host install',
        );
      }
      return `registered for ${status.origin}`;
    },
  },
];

/** A newer Herdr works; it is only said. */
const PROTOCOL_TESTED = 22;
/** `ping` is answered at once by a Herdr that serves, in ms. */
const HERDR_MS = 5_000;
/** How long a service that was started may take until it runs, in ms. */
const SETTLE_MS = 30_000;
/** Between two looks meanwhile, in ms. */
const SETTLE_LOOK_MS = 200;

/** What the user stopped is no failure. */
const STOPPED = new Note('you have stopped this workstation', `To start it again: ${START}, or herdr-mcp install`);
const isStopped = async (stateDir: string): Promise<boolean> => (await readDesired(stateDir))?.running === false;

const homeOf = (env: NodeJS.ProcessEnv): string => env['HOME'] || homedir();

/** Until what was started runs, or the time is over: the look afterwards says which. */
async function settled(stateDir: string): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  while (performance.now() < end) {
    const { up, observed } = await readObserved(stateDir);
    if (up && observed?.state === 'running') return;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_LOOK_MS));
  }
}
