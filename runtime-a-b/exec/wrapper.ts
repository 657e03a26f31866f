/**
 * What is really run: a small POSIX shell that leads the process group, runs the command as its child, and writes down
 * the exit status. Pure text.
 *
 * It survives the signals that end the command, so that the status is known. A status is never read half: the line has an
 * end mark (see {@link readExit}), and it gets its final name by rename.
 */

/** The word on its standard input that makes a waiting wrapper begin. */
export const GO = 'go\n';

/**
 * `$1` is the session's folder. The wrapper is started before there is a command and waits for {@link GO}; an end without
 * that word ends it, so that it never outlives a runtime that gave it nothing to do. What it then runs stands in `run`
 * (see {@link runScript}). While the runtime lives it publishes the status itself, at once; a process for `mv` runs only
 * when nobody else is left. What is written for the session is for its owner alone; the mask is set after the command,
 * whose own files have its own mask. The names of its variables are nobody else's, since they may be exported ones.
 */
export const WRAPPER = [
  'trap : HUP INT TERM QUIT',
  'IFS= read -r __herdr_go || exit 0',
  '[ "$__herdr_go" = go ] || exit 0',
  'exec </dev/null',
  '. "$1/run"',
  '__herdr_go=$?',
  'umask 077',
  'echo "exit $__herdr_go ." >"$1/exit.new"',
  'kill -0 "$PPID" 2>/dev/null || mv -f "$1/exit.new" "$1/exit"',
  'exit "$__herdr_go"',
].join('\n');

/** Goes to the directory and runs the program there, by its path: a bare name could be a builtin of the wrapper. */
export function runScript(cwd: string, program: readonly string[]): string {
  return [
    `if cd ${quoted(cwd)}`,
    'then',
    'unset OLDPWD',
    program.map(quoted).join(' '),
    'else',
    `echo 'herdr-mcp: the directory is gone; nothing was run' >&2`,
    '(exit 126)',
    'fi\n',
  ].join('\n');
}

/** A word that a shell takes literally. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The argument of `bash -c`: the caller's command, on the same line behind a trap that notes the codes of a pipe's stages
 * where there were several. The command's own text is untouched, so that line numbers in its errors stay right.
 */
export function bashCommand(command: string, folder: string): string {
  const note = `{ __herdr=("$?" "\${PIPESTATUS[@]}"); ((\${#__herdr[@]}>2)) && umask 077 && echo "\${__herdr[*]} ." >${quoted(`${folder}/stages`)}; } 2>/dev/null`;
  return `trap ${quoted(note)} EXIT; ${command}`;
}

/**
 * Programs one after another until one fails; which one is noted where there are several. `exec` takes no builtin for a
 * program.
 */
export function stepsScript(steps: readonly { program: string; args: readonly string[] }[], folder: string): string {
  const lines = steps.map(({ program, args }) => `exec ${[program, ...args].map(quoted).join(' ')}`);
  if (lines.length === 1) return lines.join('');
  return lines
    .map((line, index) => {
      return `( ${line} ) || { s=$?; umask 077; echo "${index + 1} ." >${quoted(`${folder}/step`)}; exit "$s"; }`;
    })
    .join('\n');
}

/** The status in the wrapper's file, once it is whole. */
export function readExit(text: string | undefined): number | undefined {
  const match = /^exit (\d+) \.\n$/.exec(text ?? '');
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/**
 * The stages of the last pipe. Left out when they are not what the exit code came from: after `false | true; exit 3` the
 * shell still remembers the pipe. `pipefail` takes the code of the last stage that failed.
 */
export function readStages(text: string | undefined, exitCode: number | null): number[] | undefined {
  const match = /^(\d+(?: \d+)+) \.\n$/.exec(text ?? '');
  if (match?.[1] === undefined) return undefined;
  const [code, ...stages] = match[1].split(' ').map(Number);
  if (code !== exitCode || stages.length < 2) return undefined;
  const lastFailed = stages.findLast((stage) => stage !== 0) ?? 0;
  return stages.at(-1) === code || lastFailed === code ? stages : undefined;
}

export function readStep(text: string | undefined): number | undefined {
  const match = /^(\d+) \.\n$/.exec(text ?? '');
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
