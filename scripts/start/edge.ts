/** The edge on this machine: the bundled Worker straight in workerd, its objects in one fixed folder. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSecrets } from '../../local/secrets/index.ts';
import { VERSION } from '../../local/version/index.ts';
import { builtEdge, DIST } from '../build/index.ts';
import { startWorkerd, type Workerd } from '../workerd/index.ts';

export interface LocalEdge {
  origin: string;
  /** Spent by the edge once a device is paired. */
  operatorSecret: string;
  workerd: Workerd;
}

/** Name of the secret that keys six-digit codes; kept, so that sign-ins that wait outlive a restart. */
const CODE_SECRET = 'edge-code-secret';

/** Starts workerd on a loopback port. Rejects with its own words when it cannot listen. */
export async function startEdge(options: {
  stateDir: string;
  port: number;
  /** The address that everybody uses when something stands in front of it; default: the port itself. */
  publicOrigin?: string;
  /** Variables beside or instead of start's own: another stage, another public epoch. */
  variables?: Readonly<Record<string, string>>;
  onLine?: (line: string) => void;
}): Promise<LocalEdge> {
  const origin = options.publicOrigin ?? `http://127.0.0.1:${options.port}`;
  const operatorSecret = randomBytes(32).toString('base64url');
  const configDir = join(options.stateDir, 'edge', 'config');
  const workerd = await startWorkerd({
    ...builtEdge(DIST),
    text: {
      ORIGINS: origin,
      STAGE: 'dev',
      EDGE_VERSION: VERSION,
      OPERATOR_SECRET: operatorSecret,
      CODE_SECRET: await codeSecret(options.stateDir),
      ...options.variables,
    },
    configDir,
    storage: join(options.stateDir, 'edge', 'objects'),
    port: options.port,
    endsWithParent: true,
    ...(options.onLine ? { onLine: options.onLine } : {}),
  });
  rmSync(configDir, { recursive: true, force: true }); // it holds the secrets, and workerd has read it
  return { origin, operatorSecret, workerd };
}

async function codeSecret(stateDir: string): Promise<string> {
  const secrets = await openSecrets(stateDir, { backend: 'file' });
  const kept = await secrets.get(CODE_SECRET);
  if (kept !== undefined) return kept;
  const fresh = randomBytes(32).toString('base64url');
  await secrets.set(CODE_SECRET, fresh);
  return fresh;
}
