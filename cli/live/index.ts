/**
 * The workstation as the Side Panel sees it, for a terminal: asked of the running runtime over the private socket of the
 * state folder, once or followed.
 */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import {
  after,
  createSseReader,
  type FleetAnswer,
  type Picture,
  pictureOf,
  positionOf,
  readPushState,
  type WatchRequest,
} from '../../contract/control/index.ts';
import { EXTENSION_ROUTE } from '../../contract/extension/index.ts';
import { objectOf } from '../../contract/json.ts';
import { statePaths } from '../../local/paths/index.ts';
import { patience } from '../../local/patience/index.ts';
import { FLEET_MS, RETRY_MS, SILENT_MS, STATE_MS } from './limits.ts';

/** Everything now; undefined: no runtime serves the socket, or it is older than this command. Never rejects. */
export async function takePicture(stateDir: string): Promise<Picture | undefined> {
  const state = readPushState(await getJson(stateDir, '/push/state', STATE_MS));
  return state === null ? undefined : pictureOf(state);
}

/** The fleet; undefined: nobody could be asked in time. Never rejects. */
export async function takeFleet(stateDir: string): Promise<FleetAnswer | undefined> {
  const answer = await getJson(stateDir, EXTENSION_ROUTE.fleet, FLEET_MS);
  const ok = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'ok') : undefined;
  return typeof ok === 'boolean' ? (answer as FleetAnswer) : undefined;
}

/** Says which panes are looked at, so that their last lines are told. Whether anybody heard it does not matter. */
export function watchPanes(stateDir: string, watch: WatchRequest): void {
  const asking = open(stateDir, EXTENSION_ROUTE.controlWatch, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  asking.on('response', (response) => response.resume());
  asking.on('error', () => undefined); // the stream says that the runtime is away
  asking.end(JSON.stringify(watch));
}

export interface Follower {
  /** Called with each new picture; undefined: nobody answers now, and the last one is what was last seen. */
  changed(picture: Picture | undefined): void;
}

/** Follows until the returned function is called. What is away is tried again. */
export function followPicture(stateDir: string, { changed }: Follower): () => void {
  let stopped = false;
  let asking: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;

  function again(): void {
    if (stopped) return;
    changed(undefined);
    timer = setTimeout(begin, RETRY_MS);
  }

  function begin(): void {
    asking = open(stateDir, '/push/events', {});
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      asking?.destroy();
      again();
    };
    asking.setTimeout(SILENT_MS, end);
    asking.on('error', end);
    asking.on('response', (response) => {
      if (response.statusCode !== 200) return end();
      read(response, end);
    });
    asking.end();
  }

  function read(response: IncomingMessage, end: () => void): void {
    const blocks = createSseReader();
    let picture: Picture | undefined;
    let held: Parameters<typeof after>[1][] = [];
    response.setEncoding('utf8');
    response.on('close', end);
    response.on('data', (text: string) => {
      const before = picture;
      for (const { id, event, data } of blocks(text)) {
        if (event === 'hello') {
          void start();
          continue;
        }
        const place = positionOf(id);
        const told = {
          boot: place?.boot ?? null,
          number: place?.position ?? null,
          name: event,
          data: objectOf(data) ?? {},
        };
        if (picture) picture = after(picture, told).picture;
        else held.push(told);
      }
      if (picture && picture !== before) changed(picture);
    });

    /** The greeting names no panes: the state is asked for, and what is said meanwhile is folded in afterwards. */
    async function start(): Promise<void> {
      const first = await takePicture(stateDir);
      if (first === undefined) return end();
      picture = held.reduce((now, one) => after(now, one).picture, first);
      held = [];
      changed(picture);
    }
  }

  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
    asking?.destroy();
  };
}

function open(
  stateDir: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> },
): ClientRequest {
  const { method = 'GET', headers = {} } = options;
  const socketPath = statePaths(stateDir).extensionSocket;
  return request({ socketPath, path, method, agent: false, headers: { host: 'localhost', ...headers } });
}

function getJson(stateDir: string, path: string, limitMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const asking = open(stateDir, path, {});
    const waiting = patience(limitMs, () => asking.destroy());
    const done = (value: unknown) => {
      waiting.end();
      resolve(value);
    };
    asking.on('error', () => done(undefined));
    asking.on('close', () => done(undefined));
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => done(response.statusCode === 200 ? jsonOf(text) : undefined));
    });
    asking.end();
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
