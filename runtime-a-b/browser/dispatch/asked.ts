/** What the delivery service is asked for, whoever asks. */
import type { Operation } from '../../../contract/browser/dispatch.ts';
import type { Principal } from '../../../contract/call.ts';
import type { SourceTurn } from './current-message.ts';
import type { Place } from './place.ts';

export interface Asked {
  operation: Operation;
  place: Place;
  message: string | null;
  sourceUrl: string | null;
  /** What the caller planned against; null: whatever stands now. */
  expectedGeneration: number | null;
  key: string;
  principal: Pick<Principal, 'kind' | 'id'>;
  workChainId: string;
  laneId: string;
  /** The local agent that is told when the answer is complete. */
  parentTarget: string | null;
  displayLabel: string;
  stopsDispatchId: string;
  /** The turn that it was asked for in, when the chat was named by it. */
  source: SourceTurn | null;
  /** A person pressed again: what was proved undelivered is offered once more, however often it was. */
  byHand: boolean;
}
