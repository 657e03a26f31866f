/** The command `herdr-mcp` for a person's shell: a link in `~/.local/bin`, only where no other file is. */
import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentLink } from '../release/index.ts';

const linkOf = (homeDir: string): string => join(homeDir, '.local', 'bin', 'herdr-mcp');
const targetOf = (stateDir: string): string => join(currentLink(stateDir), 'dist', 'herdr-mcp.js');

/** Makes the link; a sentence for a person when it cannot be used as it is. */
export function linkCommand(homeDir: string, stateDir: string, path: string): string | undefined {
  const link = linkOf(homeDir);
  const stats = lstatSync(link, { throwIfNoEntry: false });
  if (!stats) {
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(targetOf(stateDir), link);
  } else if (!isOurs(link, stateDir)) {
    return `${link} is another file and was left alone; the command is ${targetOf(stateDir)}.`;
  }
  return path.split(':').includes(dirname(link))
    ? undefined
    : `Add ${dirname(link)} to your PATH for the command herdr-mcp.`;
}

/** Takes the link away when it is ours. */
export function unlinkCommand(homeDir: string, stateDir: string): void {
  if (isOurs(linkOf(homeDir), stateDir)) rmSync(linkOf(homeDir), { force: true });
}

function isOurs(link: string, stateDir: string): boolean {
  const stats = lstatSync(link, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true && readlinkSync(link) === targetOf(stateDir);
}
