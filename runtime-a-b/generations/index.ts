/** The A/B machinery's door for commands: the pointer, what each generation says about itself, revisions, the supervisor. */
export { changeDesired, Desired, readDesired, readDesiredNow } from './desired.ts';
export {
  type Generation,
  type Lease,
  type Leases,
  leaseActive,
  openLeases,
  type Pointer,
  RuntimeRecord,
  readPointer,
  readPointerNow,
  readRecord,
  writePointer,
} from './lease.ts';
export {
  type ChildName,
  Observed,
  type ObservedReport,
  readObserved,
} from './observed.ts';
export { removeRecord, writeRecord } from './record.ts';
export {
  type Description,
  deleteRevision,
  listRevisions,
  type Revision,
  readRevision,
  type Step,
  stageRevision,
} from './revision.ts';
export { askRunning, RUNNING_ROUTE, type Running, type RunningNow } from './running.ts';
export {
  type FoundHerdr,
  herdrAt,
  type Supervisor,
  type SupervisorOptions,
  startSupervisor,
} from './supervisor/index.ts';
