/**
 * `node wxt.mjs <folder of the extension> <folder to write into>`: WXT's build in a process of its own. WXT draws its
 * progress straight to stdout, which whoever builds does not want to show. What goes wrong is said on stderr.
 */
import { build } from 'wxt';

const quiet = () => undefined;
const logger = {
  debug: quiet,
  log: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  fatal: quiet,
  success: quiet,
  level: 0,
};
const [root, outDir] = process.argv.slice(2);

try {
  await build({ root, configFile: 'wxt.config.ts', outDir, logger });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
