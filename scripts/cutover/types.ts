/** What a cutover is given, and how it ends. */
import type { ApiOptions, Wrangler } from '../cloudflare/index.ts';
import type { CutoverWish } from './options.ts';

export interface CutoverOptions {
  wish: Extract<CutoverWish, { do: 'run' | 'retire' | 'rollback' }>;
  stateDir: string;
  env: NodeJS.ProcessEnv;
  wrangler: Wrangler;
  say: (line: string) => void;
  /** Shorter waits, for tests. */
  waits?: {
    api?: Pick<ApiOptions, 'timeoutMs' | 'readAgainMs'>;
    lookAgainMs?: readonly number[];
    watch?: { everyMs: number; withinMs: number };
  };
}

export type CutoverEnd = 'CUTOVER_GREEN' | 'RETIRED' | 'ROLLBACK_COMPLETE' | 'READY';
