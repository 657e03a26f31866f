/** What the Worker serves: the same release under other addresses, and a version of before. What arrived is read. */
import { LocalError } from '../../local/error/index.ts';
import { VERSION } from '../../local/version/index.ts';
import { READ_AGAIN_MS, settle, type WorkerAt } from '../cloudflare/index.ts';
import type { CutoverOptions } from './types.ts';

/** Deploys the same release with these addresses, once for a tag. Throws when they do not serve afterwards. */
export async function deployWith(
  { wrangler, waits }: Pick<CutoverOptions, 'wrangler' | 'waits'>,
  worker: WorkerAt,
  tag: string,
  origins: readonly string[],
): Promise<void> {
  if ((await worker.serving())?.tag === tag) return;
  const stage = (await worker.bindings())?.find(({ name }) => name === 'STAGE')?.text ?? 'prod';
  const vars = { ORIGINS: origins.join(','), STAGE: stage };
  const message = `herdr-mcp ${VERSION}, ${origins[0]}`;
  const done = await wrangler.deploy({ account: worker.account, name: worker.name, vars, tag, message });
  for (const wait of [0, ...(waits?.lookAgainMs ?? READ_AGAIN_MS)]) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    if ((await worker.serving())?.tag === tag) return;
  }
  throw new LocalError(
    'upload_failed',
    `wrangler ended with ${done.code ?? 'a signal'}, and the new addresses do not serve: ${done.said.trim().split('\n').slice(-3).join(' ')}`,
    'It is put back as it was.',
  );
}

/** The very version of before: its code, its variables, its secrets. */
export async function serveAgain(worker: WorkerAt, version: string, lookAgainMs: readonly number[]): Promise<void> {
  const body = { strategy: 'percentage', versions: [{ version_id: version, percentage: 100 }] };
  const start = await worker.serving();
  await settle({
    what: `serving version ${version} again`,
    read: async () => (await worker.serving())?.version,
    isDone: (serving) => serving === version,
    isUntouched: (serving) => serving === start?.version,
    act: () => worker.api.change('POST', `${worker.path}/deployments`, body),
    lookAgainMs,
  });
}
