import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The options that a program was started with; undefined when one of them is none of its own, or lacks its value. */
export function readOptions<const T extends ParseArgsOptionsConfig>(
  options: T,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] | undefined {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
