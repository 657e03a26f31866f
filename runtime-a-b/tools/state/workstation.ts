/** Facts about the workstation and this runtime that are not Herdr's. */
import { arch, platform } from 'node:os';
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
    shell: 'herdr_exec runs as the workstation user and reaches everything that the user can',
  };
}
