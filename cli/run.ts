import { type ArgsDef, type CommandDef, renderUsage, runCommand } from 'citty';
import { LocalError } from '../local/error/index.ts';
import { EXIT, Interrupted, UsageError } from './exit.ts';
import { note, say, sayHelp, sayText } from './terminal/index.ts';

const EXIT_CODES =
  'Exit codes: 0 done, 1 refused or failed, 2 wrong usage or a failed check of doctor, 130 interrupted.';

/** Runs a command line and gives the exit code. Nothing shows a stack to a person, except our own fault. */
export async function runCli(root: CommandDef<ArgsDef>, argv: string[]): Promise<number> {
  const asked = await find(root, argv);
  if (argv.some((word) => word === '--help' || word === '-h') || argv[0] === 'help') {
    sayHelp(await renderUsage(asked.command, asked.parent));
    if (asked.command === root) say(EXIT_CODES);
    return EXIT.ok;
  }
  try {
    await runCommand(root, { rawArgs: argv[0] === '--version' || argv[0] === '-v' ? ['version'] : argv });
    return typeof process.exitCode === 'number' ? process.exitCode : EXIT.ok;
  } catch (error) {
    if (error instanceof LocalError) {
      note(error.sentence);
      return EXIT.failed;
    }
    if (error instanceof Interrupted) {
      note('Interrupted; nothing was sent.');
      return EXIT.interrupted;
    }
    if (error instanceof UsageError || (error instanceof Error && error.name === 'CLIError')) {
      note(error.message);
      note(`See: ${asked.path} --help`);
      return EXIT.usage;
    }
    sayText(error instanceof Error && error.stack ? error.stack : String(error), note);
    return EXIT.failed;
  }
}

/** The command that a line names, as deep as it names one. */
async function find(root: CommandDef<ArgsDef>, argv: readonly string[]) {
  let command = root;
  let parent: CommandDef<ArgsDef> | undefined;
  let path = 'herdr-mcp';
  for (const word of argv) {
    const below = (command.subCommands ?? {}) as Record<string, CommandDef<ArgsDef>>;
    const next = Object.hasOwn(below, word) ? below[word] : undefined;
    if (!next) break;
    parent = { ...command, meta: { name: path } };
    path = `${path} ${word}`;
    command = next;
  }
  return { command, parent, path };
}
