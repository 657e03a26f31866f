/** What is known of what agents can do, and how it is asked. */
import type { Candidate, Requirements } from './resolver.ts';
import type { ScanResult } from './scan.ts';
import type { Inventory } from './store.ts';

export interface Capability {
  inventory(): Inventory;
  /** Grows with each scan, so that whoever keeps an answer knows when it is old. */
  version(): number;
  compact(): Record<string, unknown>;
  ofKind(kind: string | undefined): Record<string, unknown> | undefined;
  candidates(requirements: Requirements): Candidate[];
  scan(
    depth: { deep: boolean; refresh: boolean },
    signal: AbortSignal,
  ): Promise<ScanResult & { scanned_at_ms: number }>;
  close(): void;
}
