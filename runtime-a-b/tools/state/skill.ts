/** `herdr_skill`: the guide to this workstation, with what is true of it now. */
import { run } from '../../../local/spawn/index.ts';
import { HERDR_REFERENCE_BYTES, HERDR_REFERENCE_MS } from '../../limits.ts';
import { policyText } from '../../skills/index.ts';
import type { ToolContext, ToolHandler } from '../context.ts';
import type { ToolParts } from '../parts.ts';

type Native = { included: true; content: string; truncated?: true } | { included: false; why: string };

export function skillTool(parts: ToolParts): ToolHandler {
  const policy = policyText(parts.progressiveSkills);
  let native: { version: string; answer: Promise<Native> } | undefined;
  return async (args, context) => {
    if (args.refresh === true) native = undefined;
    return {
      ok: true,
      body: {
        ...policy,
        ...(parts.progressiveSkills ? bootstrap(parts) : {}),
        status: status(parts, context),
        ...(args.include_native_reference === false ? {} : { native_reference: await nativeReference(context) }),
      },
    };
  };

  /** Herdr's own text, for the Herdr that runs. It was written by another program and is reference, not policy. */
  async function nativeReference(context: ToolContext): Promise<Native> {
    const { server } = context.live.view();
    if (!server) return { included: false, why: 'Herdr does not answer' };
    if (server.embedded)
      return { included: false, why: 'the embedded Herdr has no text of its own; herdr_methods lists what it can do' };
    if (native?.version !== server.version) native = { version: server.version, answer: askHerdr(parts.herdrCommand) };
    return native.answer;
  }
}

/** What a planner that loads modules on demand is told beside the policy: where facts come from, in a few lines. */
function bootstrap({ capability }: ToolParts): Record<string, unknown> {
  return {
    capability_snapshot: capability.compact(),
    planning_advice: { method: 'herdr_mcp.planning.advise', access: 'read', advisory_only: true },
    task_inbox: { method: 'herdr_mcp.agent.task.inbox', access: 'read', params: '{"advisory":true}' },
    github_status: { method: 'herdr_mcp.github.status', access: 'read' },
    cleanup_preview: { method: 'herdr_mcp.cleanup.preview', access: 'read' },
    request_budget: { intents_a_call: 1, changes_a_call: 1, independent_reads_together: true },
  };
}

async function askHerdr(command: string): Promise<Native> {
  const options = { timeoutMs: HERDR_REFERENCE_MS, maxBytes: HERDR_REFERENCE_BYTES };
  const result = await run(command, ['--skill'], options).catch(() => undefined);
  const text = result?.code === 0 ? result.stdout.toString('utf8') : '';
  if (!result || text.trim() === '') return { included: false, why: "Herdr's command did not give its reference" };
  return { included: true, content: text, ...(result.truncated ? { truncated: true } : {}) };
}

function status(parts: ToolParts, context: ToolContext): Record<string, unknown> {
  const view = context.live.view();
  const { runtime, policy } = parts;
  return {
    herdr_mcp: runtime.version,
    generation: runtime.generation,
    boot_id: runtime.bootId,
    herdr: {
      state: view.state,
      version: view.server?.version ?? null,
      ...(view.problem ? { problem: view.problem } : {}),
    },
    readonly: policy.readOnly,
    write_roots: policy.writeRoots ?? null,
    workspaces: view.workspaces.length,
    agents: view.agents.length,
  };
}
