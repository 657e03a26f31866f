/** The A/B machinery's door for commands: the pointer, and what each generation says about itself. */
export {
  type Generation,
  type Lease,
  type Leases,
  leaseActive,
  openLeases,
  type Pointer,
  RuntimeRecord,
  readPointer,
  readRecord,
  writePointer,
} from './lease.ts';
export { removeRecord, writeRecord } from './record.ts';
