/** What we know of one process; whatever could not be read is absent. */
export interface ProcessFacts {
  pid: number;
  /** The kernel's short name (at most 15 bytes on Linux). */
  name: string;
  argv: readonly string[];
  /** Value of HERDR_AGENT in its environment, the hint of wrappers and sandboxes. */
  agentHint?: string;
}

/**
 * The operating system's processes as the watch needs them. All answers are of now or of less than a probe ago; a
 * process that is gone or belongs to somebody else is an absent answer, never an exception.
 */
export interface ProcessTable {
  /** Brings the next answers up to date where the system can only be asked slowly. */
  refresh(): Promise<void>;
  /** The process group that owns the terminal of this session leader. */
  foregroundGroup(leader: number): number | undefined;
  /** Members of a process group, its leader first. */
  group(pgid: number): ProcessFacts[];
  /** Pids of every living process in the leader's session, the leader included. */
  session(leader: number): number[];
  isAlive(pid: number): boolean;
  cwd(pid: number): string | undefined;
}
