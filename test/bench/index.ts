/** The benchmark: its stage, its rows, and how they are printed. */
import { bundleSize } from './bundle.ts';
import { measureFleetSize } from './fleet-size.ts';
import { listWhileOffline, readThroughTheWholePath } from './full-path.ts';
import { inspectLarge, runTrue } from './in-runtime.ts';
import { readOverLoopback } from './loopback.ts';
import { writesOfCalls } from './object-storage.ts';
import { rows as journalRows } from './p12.ts';
import { panelUnderLoad } from './panel.ts';
import { promoteUnderLoad } from './promotion.ts';
import { idleMemory } from './soak.ts';
import type { Stage } from './stage.ts';
import { startToReady } from './start-up.ts';
import type { Row } from './table.ts';
import { grepManyFiles, statusOfManyFiles } from './trees.ts';
import { callsUnderACut, readOneMebibyte, readWithManyCallers } from './under-load.ts';
import { wakeAfterSettle } from './wake.ts';

export { endConnections } from './post.ts';
export { openStage } from './stage.ts';
export { type Row, renderTable } from './table.ts';

export const ROWS: readonly {
  id: string;
  measure: (stage: Stage) => Promise<Row | readonly Row[]>;
  /** Takes half an hour: measured only when asked for. */
  soak?: boolean;
}[] = [
  // First, while nothing has happened yet.
  { id: 'P13', measure: idleMemory, soak: true },
  { id: 'P1', measure: readThroughTheWholePath },
  { id: 'P2', measure: readOverLoopback },
  { id: 'P3', measure: grepManyFiles },
  { id: 'P4', measure: runTrue },
  { id: 'P5', measure: inspectLarge },
  { id: 'P6', measure: statusOfManyFiles },
  { id: 'P7', measure: promoteUnderLoad },
  { id: 'P8', measure: callsUnderACut },
  { id: 'P9', measure: readWithManyCallers },
  { id: 'P10', measure: readOneMebibyte },
  { id: 'P11', measure: wakeAfterSettle },
  { id: 'P12', measure: journalRows },
  { id: 'P14', measure: writesOfCalls },
  { id: 'P15', measure: listWhileOffline },
  { id: 'P16', measure: startToReady },
  { id: 'P17', measure: bundleSize },
  { id: 'P18', measure: panelUnderLoad },
  { id: 'fleet', measure: measureFleetSize },
];
