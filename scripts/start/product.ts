/** The whole product, as it runs on this machine. */
import type { Device } from '../../link/identity/index.ts';
import type { FoundHerdr } from '../../runtime-a-b/generations/index.ts';
import type { OpenWorkspace } from './herdr.ts';

export interface Product {
  device: Device;
  mcpUrl: string;
  herdr: FoundHerdr & { embedded: boolean };
  workspace: OpenWorkspace;
  runtimePort: number;
  /** Name → pid, for tests that end one of them. */
  pids: Record<string, number>;
  /** Resolves with a sentence when a process ended by itself; everything else is ended then too. */
  failed: Promise<string>;
  stop(): Promise<void>;
}
