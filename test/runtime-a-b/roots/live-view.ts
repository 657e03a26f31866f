/** A live picture of Herdr as a plain object, and Git repositories in temporary folders. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentInfo, AgentStatus, PaneInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import type { LiveView } from '../../../runtime-a-b/roots/index.ts';

export interface PaneSketch {
  cwd?: string;
  foreground?: string;
  workspace?: string;
  agent?: { name: string; status: AgentStatus };
}

/** A picture with one pane for each sketch: p1, p2 … in w1 unless it says otherwise. */
export function liveView(sketches: readonly PaneSketch[], state: LiveView['state'] = 'live'): LiveView {
  const panes = sketches.map((sketch, index): PaneInfo => {
    const id = sketch.workspace ?? 'w1';
    return {
      pane_id: `p${index + 1}`,
      terminal_id: `t${index + 1}`,
      workspace_id: id,
      tab_id: `${id}:1`,
      focused: index === 0,
      agent_status: sketch.agent?.status ?? 'unknown',
      revision: 0,
      ...(sketch.cwd === undefined ? {} : { cwd: sketch.cwd }),
      ...(sketch.foreground === undefined ? {} : { foreground_cwd: sketch.foreground }),
    };
  });
  const agents = panes.flatMap((pane, index): AgentInfo[] => {
    const agent = sketches[index]?.agent;
    return agent === undefined ? [] : [{ ...pane, agent: 'pi', name: agent.name }];
  });
  const workspaces = [...new Set(panes.map((pane) => pane.workspace_id))].map(
    (id, index): WorkspaceInfo => ({
      workspace_id: id,
      number: index + 1,
      label: `label-${id}`,
      focused: index === 0,
      pane_count: 1,
      tab_count: 1,
      active_tab_id: `${id}:1`,
      agent_status: 'unknown',
    }),
  );
  return { state, workspaces, panes, agents };
}

/** A canonical temporary folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hm-roots-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** A repository in `folder` with these files committed. Returns the folder. */
export function repository(folder: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeFiles(folder, files);
  git(folder, 'add', '--all', '--force');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  return folder;
}

/** The code with which a call is refused; fails the test when it is not refused. */
export async function refusal(
  call: () => unknown,
): Promise<{ code: string; message: string; next: string; details: Record<string, unknown> }> {
  try {
    await call();
  } catch (error) {
    const { code, message, next, details } = error as {
      code?: string;
      message: string;
      next?: string;
      details?: object;
    };
    if (code !== undefined && next !== undefined) return { code, message, next, details: { ...details } };
    throw error;
  }
  throw new Error('the call was not refused');
}
