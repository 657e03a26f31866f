/** The benchmark: its stage, its rows, and how they are printed. */
import { measureFleetSize } from './fleet-size.ts';
import { listWhileOffline, readThroughTheWholePath } from './full-path.ts';
import { readOverLoopback } from './loopback.ts';
import { rows as journalRows } from './p12.ts';
import type { Stage } from './stage.ts';
import type { Row } from './table.ts';

export { endConnections } from './post.ts';
export { openStage } from './stage.ts';
export { type Row, renderTable } from './table.ts';

export const ROWS: readonly { id: string; measure: (stage: Stage) => Promise<Row | readonly Row[]> }[] = [
  { id: 'P1', measure: readThroughTheWholePath },
  { id: 'P2', measure: readOverLoopback },
  { id: 'P12', measure: journalRows },
  { id: 'P15', measure: listWhileOffline },
  { id: 'fleet', measure: measureFleetSize },
];
