/** What the tools are built from, once per runtime. */
import type { CallClass } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import type { Capability } from '../capability/index.ts';
import type { Exec } from '../exec/index.ts';
import type { HerdrClient, LiveHerdrCache } from '../herdr/index.ts';
import type { Ledger } from '../operations/index.ts';
import type { Roots } from '../roots/index.ts';
import type { TaskDoor } from './agents/index.ts';
import type { ToolPolicy } from './context.ts';
import type { PlainMethod } from './methods/index.ts';

export interface ToolParts {
  live: LiveHerdrCache;
  herdr: HerdrClient;
  roots: Roots;
  exec: Exec;
  policy: ToolPolicy;
  /** Herdr's own command, for its schema and its reference. */
  herdrCommand: string;
  log: Log;
  nowMs: () => number;
  ledger: Ledger;
  /** Where a prompt's task is written down. */
  tasks: TaskDoor;
  /** Methods of `herdr_call` that other folders of the runtime bring. */
  methods: Readonly<Record<string, PlainMethod>>;
  /** Asked about reads, which stand in no ledger; set once the dispatcher exists. */
  running: (dispatchId: string) => CallClass | undefined;
  /** Settles the writes of dead processes; until then the ledger has them as running. */
  recover: () => Promise<unknown>;
  /** What is known of the agents' kinds. */
  capability: Capability;
  /** `HERDR_MCP_PROGRESSIVE_SKILLS`: modules on demand instead of one document. */
  progressiveSkills: boolean;
  runtime: { generation: string; bootId: string; version: string; startedAtMs: number };
}
