/** A tool context over real folders and a live picture that the test writes down. */
import { homedir } from 'node:os';
import { createRoots, type LiveView } from '../../../runtime-a-b/roots/index.ts';
import type { ToolAnswer, ToolContext, ToolHandlers, ToolPolicy } from '../../../runtime-a-b/tools/context.ts';

export interface TestTools {
  /** `more` replaces a part of the context for this call. */
  call(
    tool: string,
    args: Record<string, unknown>,
    more?: Partial<ToolContext>,
  ): Promise<ToolAnswer & { body: Record<string, never> }>;
  context: ToolContext;
  /** What was written down before files changed. */
  intended: { path: string; before: string | null; after: string | null }[];
  view: LiveView;
}

/** Handlers as the runtime calls them. What these tools never use throws when it is touched. */
export function testTools(
  handlers: ToolHandlers,
  view: LiveView,
  options: { stateDir?: string; policy?: Partial<ToolPolicy>; signal?: AbortSignal; exec?: ToolContext['exec'] } = {},
): TestTools {
  const intended: TestTools['intended'] = [];
  const policy: ToolPolicy = {
    readOnly: false,
    writeRoots: undefined,
    protectedFolders: [],
    homeDir: homedir(),
    stateDir: options.stateDir ?? '/nonexistent',
    ...options.policy,
  };
  const roots = createRoots({ homeDir: policy.homeDir, protectedFolders: policy.protectedFolders, nowMs: Date.now });
  const known = {
    dispatchId: `d_${'0'.repeat(32)}`,
    principal: { kind: 'local', id: 'test', label: 'test' },
    callClass: 'write',
    deviceId: 'dev_test',
    nowMs: Date.now,
    deadlineAtMs: Date.now() + 45_000,
    signal: options.signal ?? new AbortController().signal,
    live: { view: () => view, refresh: async () => view, onChange: () => () => undefined },
    roots,
    exec: options.exec,
    policy,
    ref: { workspace: (id: string) => id, pane: (id: string) => id },
    intend: (changes: readonly TestTools['intended'][number][]) => void intended.push(...changes),
  };
  const contextWith = (more: Partial<ToolContext>) =>
    new Proxy(
      { ...known, ...more },
      {
        get(target, name) {
          if (name in target) return target[name as keyof typeof target];
          throw new Error(`the tool used context.${String(name)}, which the test does not offer`);
        },
      },
    ) as unknown as ToolContext;
  const context = contextWith({});
  return {
    context,
    intended,
    view,
    async call(tool, args, more) {
      const handler = handlers[tool];
      if (handler === undefined) throw new Error(`no handler for ${tool}`);
      return (await handler(args, more ? contextWith(more) : context)) as ToolAnswer & { body: Record<string, never> };
    },
  };
}
