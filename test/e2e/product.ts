/** The whole product out of its bundles, in a folder of its own, with a small Git repository to work on. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build/index.ts';
import { approveHere, type Connect, type McpParty } from '../../scripts/demo/index.ts';
import { type Product, startProduct } from '../../scripts/start/index.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';

export interface Place {
  /** Short, because sockets lie in it. */
  stateDir: string;
  repository: string;
  remove(): void;
}

/** A state folder and a repository with one commit. */
export function place(): Place {
  const root = mkdtempSync(join(tmpdir(), 'hm-e2e-'));
  const repository = join(root, 'project');
  mkdirSync(repository);
  writeFileSync(join(repository, 'README.md'), '# A project\n\nOf all the lines this is the third.\n');
  writeFileSync(join(repository, '.env'), 'SECRET=1\n');
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' });
  git('init', '-b', 'main');
  git('add', 'README.md');
  git('commit', '-m', 'Begin');
  return { stateDir: join(root, 'state'), repository, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Starts everything on free ports with an embedded Herdr, whatever runs on this machine besides. */
export async function startHere(at: Place): Promise<Product> {
  await build();
  return startProduct({
    stateDir: at.stateDir,
    repository: at.repository,
    port: await anyFreePort(),
    embeddedHerdr: true,
  });
}

/** Signs a client in; the approval goes through the real command. */
export function signInHere(at: Place, product: { mcpUrl: string }, connect: Connect): Promise<McpParty> {
  return connect(
    new URL(product.mcpUrl),
    approveHere(at.stateDir, () => undefined),
  );
}

/** Every process that names this folder in its arguments or (on Linux) its environment: ours and what it started. */
export function processesOf(folder: string): string[] {
  const listed = execFileSync('ps', ['axww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const byArguments = listed.filter((line) => line.includes(folder));
  return process.platform === 'linux' ? [...byArguments, ...byEnvironment(folder)] : byArguments;
}

function byEnvironment(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
      } catch {
        return false; // it ended meanwhile, or belongs to somebody else
      }
    });
}

/** Waits until none of them is left; the test's own time limit is the only bound. */
export async function allGone(folder: string): Promise<void> {
  while (processesOf(folder).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}
