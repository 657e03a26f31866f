/** The `herdr-mcp` command: people's and local agents' door to everything. Exit codes: see exit.ts. */
import { herdrMcp } from './commands.ts';
import { EXIT } from './exit.ts';
import { runCli } from './run.ts';

// Whoever reads our output may stop reading (`| head`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

process.exitCode = await runCli(herdrMcp, process.argv.slice(2));
