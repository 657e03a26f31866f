/** What a deploy is given, and what it gives. */
import type { ApiOptions, Wrangler } from '../cloudflare/index.ts';
import type { DeployWish } from './options.ts';
import type { OperatorWaits } from './pairing.ts';

export interface DeployOptions {
  wish: DeployWish;
  stateDir: string;
  env: NodeJS.ProcessEnv;
  wrangler: Wrangler;
  /** Names of what wrangler.toml binds, and a digest of the Worker's sources. */
  clone: { bindings: ReadonlySet<string>; digest: string };
  say: (line: string) => void;
  /** Shorter waits, for tests. */
  waits?: {
    api?: Pick<ApiOptions, 'timeoutMs' | 'readAgainMs'>;
    lookAgainMs?: readonly number[];
    probe?: { everyMs: number; withinMs: number };
    operator?: OperatorWaits;
  };
}

export interface Deployed {
  origin: string;
  mcpUrl: string;
  deviceId: string;
}
