/** `herdr-mcp mcp`: the runtime's tools over stdio, for MCP clients on this machine. Standard output is theirs alone. */
import { createInterface } from 'node:readline';
import { readPrivateFile } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { leaseActive } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { createRelay } from './relay.ts';

export const mcp = action('mcp', 'The tools over stdio, for an MCP client on this machine', {}, async () => {
  const stateDir = resolveStateDir(process.env);
  const relay = createRelay({
    async door() {
      const lease = await leaseActive(stateDir);
      if (!lease) return undefined;
      try {
        const token = (await readPrivateFile(statePaths(stateDir).runtimeToken))?.toString('utf8').trim() ?? '';
        return { url: `${lease.endpoint}/mcp`, token, release: () => lease.release() };
      } catch (error) {
        lease.release();
        throw error;
      }
    },
    write: (message) => process.stdout.write(`${message}\n`),
  });
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const running = relay(line).finally(() => open.delete(running));
    open.add(running);
  }
  // The client has gone or wants no more: what it asked for is still finished, because it may have changed something.
  await Promise.allSettled(open);
});
