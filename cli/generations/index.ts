/** `herdr-mcp runtime …`: the generations of the local runtime. */
import { group } from '../command.ts';
import { promote, remove, rollback, stage } from './change.ts';
import { status } from './status.ts';

export { type Facts, type Readiness, readiness } from './readiness.ts';
export { gatherFacts } from './status.ts';
export { changeAndWait, waitFor } from './wait.ts';

export const runtime = group('runtime', 'Builds of the local runtime, side by side', {
  status,
  stage,
  promote,
  rollback,
  remove,
});
