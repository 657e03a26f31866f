/** Who approves the demo's sign-in: this machine's own command when it runs the edge, else a person at a workstation. */
import { join } from 'node:path';
import { readDevice } from '../../link/identity/index.ts';
import { run } from '../../local/spawn/index.ts';
import { DIST } from '../build/index.ts';
import type { SignInPage } from './browser.ts';

/** Runs the real `herdr-mcp connector approve` of a state folder and pipes it the code that the page shows. */
export function approveHere(stateDir: string, say: (line: string) => void) {
  return async (page: SignInPage): Promise<void> => {
    say(`$ herdr-mcp connector approve --request ${page.requestId} --code-stdin   (the page shows six digits)`);
    const args = [join(DIST, 'herdr-mcp.js'), 'connector', 'approve', '--request', page.requestId, '--code-stdin'];
    const result = await run(process.execPath, args, {
      input: `${page.code}\n`,
      env: { ...process.env, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' },
    });
    for (const line of `${result.stderr}${result.stdout}`.trimEnd().split('\n')) say(`  ${line}`);
    if (result.code !== 0) throw new Error(`herdr-mcp connector approve ended with ${result.code ?? result.signal}`);
  };
}

/** Tells a person what to do; the sign-in page then goes on by itself. */
export function approveByPerson(say: (line: string) => void) {
  return async (page: SignInPage): Promise<void> => {
    say(`The sign-in page asks: ${page.app}`);
    say(`On a paired workstation run:  herdr-mcp connector approve --request ${page.requestId}`);
    say(`and type this code:           ${page.code}`);
    say('Waiting (ten minutes at most) ...');
  };
}

/** Whether this state folder's device belongs to the edge at this address, so that it may approve. */
export async function isOwnEdge(stateDir: string, url: URL): Promise<boolean> {
  const device = await readDevice(stateDir);
  return device !== undefined && device.edge_origin === url.origin;
}
