/** The frozen contracts. What is served is read from here, byte for byte; the catalog only proves that it is current. */
import type { PublishedTool } from '../catalog/index.ts';
import public3 from './public-3.json' with { type: 'json' };
import public8 from './public-8.json' with { type: 'json' };
import runtime2 from './runtime-2.json' with { type: 'json' };
import runtime4 from './runtime-4.json' with { type: 'json' };
import runtime5 from './runtime-5.json' with { type: 'json' };
import state from './state.json' with { type: 'json' };

export interface FrozenContract {
  plane: 'runtime' | 'public';
  epoch: number;
  hash: string;
  tools: PublishedTool[];
}

export const RUNTIME_EPOCHS = {
  2: runtime2 as unknown as FrozenContract,
  4: runtime4 as unknown as FrozenContract,
  5: runtime5 as unknown as FrozenContract,
} as const;

export const PUBLIC_EPOCHS = {
  3: public3 as unknown as FrozenContract,
  8: public8 as unknown as FrozenContract,
} as const;

/** `draft` until the hashes are binding; said in `/info`. */
export const EPOCH_STATE: { runtime: string; public: string } = state;

export const CURRENT_RUNTIME: FrozenContract = RUNTIME_EPOCHS[5];
export const CURRENT_PUBLIC: FrozenContract = PUBLIC_EPOCHS[8];

/** Whether a link with this runtime contract is accepted: epoch and hash belong to the same entry. */
export function isAcceptedRuntime(epoch: number, hash: string): boolean {
  return Object.values(RUNTIME_EPOCHS).some((contract) => contract.epoch === epoch && contract.hash === hash);
}
