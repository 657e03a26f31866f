/**
 * What runs a command in a visible pane: a script of the session's folder that the pane's shell starts. The terminal holds
 * the permission that the runtime lacks, so nothing here needs the runtime. Pure text.
 */
import type { Meta } from './folder.ts';
import { MARK } from './processes.ts';
import { PROMPTLESS } from './session-env.ts';
import { quoted } from './wrapper.ts';

/** Characters of a command that the pane shows before it runs. */
const SHOWN_CHARS = 400;

/** The line that is typed. It begins with a blank, so that shells which can do so keep it out of their history. */
export function paneLine(folder: string, id: string): string {
  return ` env ${MARK}=${id} /bin/sh ${quoted(`${folder}/pane`)} herdr-mcp-exec:${id}`;
}

/**
 * The script. Its first act is to create `pid`, which exists only once: a runtime that gives up waiting creates it itself,
 * and then the script can never begin. So a command that did not start in time is certainly not run later.
 */
export function paneScript(meta: Meta, program: readonly string[], folder: string): string {
  const file = (name: string) => quoted(`${folder}/${name}`);
  const settings = Object.entries(PROMPTLESS).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return [
    `(umask 077; set -C; echo "$$" >${file('pid')}) 2>/dev/null || exit 125`,
    'trap : HUP INT TERM QUIT',
    `printf '%s\n' ${quoted(`herdr-mcp runs in ${meta.cwd}: ${shown(meta.command ?? 'a program')}`)}`,
    'unset SSH_ASKPASS SUDO_ASKPASS',
    ...settings,
    `if cd ${quoted(meta.cwd)}`,
    'then',
    `${program.map(quoted).join(' ')} </dev/null >>${file('stdout')} 2>>${file('stderr')}`,
    'else',
    `echo 'herdr-mcp: the pane cannot enter the directory; nothing was run' >>${file('stderr')}`,
    '(exit 126)',
    'fi',
    '__herdr_code=$?',
    'umask 077',
    `echo "exit $__herdr_code ." >${file('exit.new')} && mv -f ${file('exit.new')} ${file('exit')}`,
    'echo "herdr-mcp: ended with exit code $__herdr_code"',
    'exit "$__herdr_code"\n',
  ].join('\n');
}

/** On one line and without what would steer a terminal. */
function shown(command: string): string {
  const plain = command.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return plain.length > SHOWN_CHARS ? `${plain.slice(0, SHOWN_CHARS)}…` : plain;
}
