/**
 * Work Memory: what a line of work amounts to, by its exact partition `project_ref + repo_id + work_chain_id`. It stands
 * on the journal and adds checkpoints (written under compare-and-set, verified when read), evidence with portable Git
 * references, a search with frozen pages, and the reclaiming of bodies that a checkpoint covers.
 *
 * The revision of a checkpoint is the generation that a writer planned against. Every write is one transaction together
 * with the record of its answer, so a repeated dispatch gets that answer and an interrupted one is never in doubt.
 */
export {
  type Checkpoint,
  type CheckpointReading,
  checkpointDigest,
  checkpointProblem,
  latestCheckpoint,
} from './checkpoint.ts';
export { portableProblem } from './evidence.ts';
export {
  KIND_CHARS_MAX,
  PORTABLE_PATH_CHARS_MAX,
  PROJECT_REF_CHARS_MAX,
  PROVIDER_CHARS_MAX,
  REF_CHARS_MAX,
  REPO_ID_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  WORK_CHAIN_ID_CHARS_MAX,
} from './limits.ts';
export { type CheckpointRow, isPartition, type Memory, openMemory, partitionOfChain, partitionView } from './memory.ts';
export { memoryMethods, olderCursor, openOlderCursor } from './methods.ts';
export { recall } from './resume.ts';
export { type Fact, type WorkState, workState } from './work-state.ts';
