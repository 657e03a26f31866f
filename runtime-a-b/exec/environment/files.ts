/** The files that shape a login shell, and a mark that changes when one of them does. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Shell } from '../shell.ts';

const SYSTEM = [
  '/etc/environment',
  '/etc/profile',
  '/etc/profile.d',
  '/etc/bash.bashrc',
  '/etc/bashrc',
  '/etc/zshenv',
  '/etc/zprofile',
  '/etc/zshrc',
  '/etc/zsh/zshenv',
  '/etc/zsh/zprofile',
  '/etc/zsh/zshrc',
];
const OWN: Readonly<Record<Shell['kind'], readonly string[]>> = {
  bash: ['.bash_profile', '.bash_login', '.profile', '.bashrc'],
  zsh: ['.zshenv', '.zprofile', '.zshrc', '.zlogin'],
  sh: ['.profile'],
};

/** Those that exist. */
export function startupFiles(shell: Shell, homeDir: string): string[] {
  const all = [...SYSTEM, ...OWN[shell.kind].map((name) => join(homeDir, name))];
  return all.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** Differs when a start-up file came, went or changed, or when the shell is another one. */
export function startupMark(shell: Shell, homeDir: string): string {
  const parts = [...SYSTEM, ...OWN[shell.kind].map((name) => join(homeDir, name))].map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? '-' : `${stats.ino}.${stats.size}.${stats.mtimeMs}`;
  });
  return [shell.path, homeDir, ...parts].join(' ');
}
