import { type ArgsDef, type CommandContext, type CommandDef, defineCommand } from 'citty';
import { UsageError } from './exit.ts';

/** Any command, whatever its arguments are. */
export type Command = CommandDef<ArgsDef>;

/**
 * A command that does something. An unknown option or a word too many is refused: a mistyped `--read-only` must not
 * approve everything.
 */
export function action<const T extends ArgsDef>(
  name: string,
  description: string,
  args: T,
  run: (args: CommandContext<T>['args']) => Promise<void> | void,
): Command {
  const command = defineCommand({
    meta: { name, description },
    args,
    run: async ({ args: given }) => {
      refuseUnknown(args, given);
      await run(given);
    },
  });
  return command as unknown as Command; // citty's type is not covariant in its arguments, its behaviour is
}

/** Throws for the first option or word that the command does not know. */
export function refuseUnknown(known: ArgsDef, given: Record<string, unknown> & { _: string[] }): void {
  const names = new Set(Object.keys(known).flatMap((name) => [name, camel(name)]));
  for (const [name, definition] of Object.entries(known)) {
    for (const alias of 'alias' in definition ? [definition.alias ?? []].flat() : []) names.add(alias);
    const value = given[name];
    if (definition.type === 'string' && value === '') throw new UsageError(`--${name} needs a value.`);
  }
  const unknown = Object.keys(given).find((name) => name !== '_' && !names.has(name));
  if (unknown !== undefined) throw new UsageError(`There is no option --${unknown} here.`);
  const words = Object.values(known).filter((definition) => definition.type === 'positional').length;
  const extra = given._[words];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many.`);
}

/** A command that only has others below it. */
export function group(name: string, description: string, subCommands: Record<string, Command>): Command {
  return defineCommand({ meta: { name, description }, subCommands });
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
