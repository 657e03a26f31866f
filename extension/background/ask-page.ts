/** How the page of a tab is asked: for parts that ask and do not want the whole worker behind it. */
import type { FromWorker, WorkerAsks } from '../messages.ts';

/** `null` when nobody answered there. */
export type AskPage = <K extends keyof WorkerAsks>(
  tab: number,
  conversation: FromWorker<K>['conversation'],
  kind: K,
  body: WorkerAsks[K]['ask'],
) => Promise<WorkerAsks[K]['answer'] | null>;
