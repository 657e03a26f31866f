/** The benchmark: its stage, its rows, and how they are printed. */
import { listWhileOffline, readThroughTheWholePath } from './full-path.ts';
import { readOverLoopback } from './loopback.ts';
import type { Stage } from './stage.ts';
import type { Row } from './table.ts';

export { endConnections } from './post.ts';
export { openStage } from './stage.ts';
export { type Row, renderTable } from './table.ts';

export const ROWS: readonly { id: string; measure: (stage: Stage) => Promise<Row> }[] = [
  { id: 'P1', measure: readThroughTheWholePath },
  { id: 'P2', measure: readOverLoopback },
  { id: 'P15', measure: listWhileOffline },
];
