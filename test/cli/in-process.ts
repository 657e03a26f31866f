/** The command line in the test's own process: no start of a process for each line that is looked at. */
import type { ArgsDef, CommandDef } from 'citty';
import { vi } from 'vitest';
import { herdrMcp } from '../../cli/commands.ts';
import { runCli } from '../../cli/run.ts';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `herdr-mcp` in this environment, with what it wrote. `json` reads what it wrote to stdout. */
export async function inProcess<Json>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Ran & { json(): Record<string, Json> }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    }),
  );
  const before = process.env;
  process.env = env;
  process.exitCode = undefined;
  try {
    const code = await runCli(herdrMcp as CommandDef<ArgsDef>, [...args]);
    return { code, ...written, json: () => JSON.parse(written.stdout) as Record<string, Json> };
  } finally {
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
}
