/** Facts about the workstation and this runtime that are not Herdr's. */
import { arch, platform } from 'node:os';
import type { SessionSummary } from '../../exec/index.ts';
import { SESSIONS_LISTED } from '../../limits.ts';
import type { ToolContext } from '../context.ts';
import type { ToolParts } from '../parts.ts';

export function workstationInfo(parts: ToolParts, context: ToolContext): Record<string, unknown> {
  const { runtime, policy } = parts;
  return {
    device: context.deviceId,
    platform: platform(),
    arch: arch(),
    server: `herdr-mcp ${runtime.version}`,
    generation: runtime.generation,
    boot_id: runtime.bootId,
    started_at_ms: runtime.startedAtMs,
    readonly: policy.readOnly,
    write_roots: policy.writeRoots ?? null,
    exec_sessions: context.exec.list(SESSIONS_LISTED).map(sessionFact),
    shell: 'herdr_exec runs as the workstation user and reaches everything that the user can',
  };
}

/** A command without its words, which may hold anything: only the program's name is told. */
function sessionFact({ state, survivors }: SessionSummary): Record<string, unknown> {
  return {
    session_id: state.id,
    program: programOf(state.command),
    root: state.root,
    running: state.running,
    started_at_ms: state.startedAtMs,
    ...(state.done ? { exit_code: state.done.exitCode } : {}),
    ...(survivors ? { still_runs: survivors } : {}),
  };
}

/** The first word that is no assignment, without its folder. */
export function programOf(command: string): string {
  const word = command.split(/\s+/).find((part) => part !== '' && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(part)) ?? '';
  return (word.split('/').at(-1) ?? '').replace(/[^\w.+-]/g, '').slice(0, PROGRAM_CHARS_MAX);
}

/** Longest program name that is told. */
const PROGRAM_CHARS_MAX = 40;
