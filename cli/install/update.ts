/** `herdr-mcp update`: another release beside the installed one; back by itself when it does not do well. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { deleteRevision, readDesired, readObserved } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { currentRelease, listReleases, type Release, releaseContent, removeReleasesExcept } from '../release/index.ts';
import { say } from '../terminal/index.ts';
import { atPlace, ownPackage, service } from './place.ts';
import { bring } from './programs.ts';
import { switchTo } from './switch.ts';

/** How long npm may take to fetch what a release needs, in ms: 40 MB over a slow line. */
const NPM_MS_MAX = 10 * 60_000;

export const update = action(
  'update',
  'Put another release beside the installed one and move to it; it is rolled back by itself when it fails',
  {
    package: {
      type: 'positional',
      required: false,
      description: 'A file of npm pack, or an installed package’s folder; the package of this command when absent',
    },
    service,
  },
  (args) =>
    atPlace('herdr-mcp update', { service: args.service }, async (place) => {
      const { stateDir } = place;
      const before = await currentRelease(stateDir);
      if (!before) {
        throw new LocalError(
          'not_installed',
          'Nothing is installed here, so there is nothing to update.',
          'herdr-mcp install',
        );
      }
      const unpacked = await packageOf(args.package);
      try {
        const content = releaseContent(unpacked.root);
        if (content.id === before.id) {
          say(`${before.version} (${before.id}) is installed already.`);
          if (args.package === undefined) say('Another release: herdr-mcp update <file of npm pack>');
        }
        const { release } = await bring(stateDir, content);
        await switchTo(place, release);
        say(`installed   ${release.version} (${release.id}); before: ${before.version} (${before.id})`);
        await forgetOld(stateDir, [release.id, before.id]);
      } finally {
        unpacked.remove();
      }
    }),
);

/** The folder of a package: as named, this one, or a packed file unpacked with what it needs. */
async function packageOf(named: string | undefined): Promise<{ root: string; remove: () => void }> {
  if (named === undefined) return { root: ownPackage(), remove: () => undefined };
  const path = resolve(named);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    throw new LocalError('package_absent', `${path} is not there; nothing was changed.`, 'Name a file of npm pack.');
  if (stats.isDirectory()) return { root: path, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'herdr-mcp-update-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const done = await run('npm', ['install', ...options, path], { timeoutMs: NPM_MS_MAX });
  if (done.code === 0) return { root: join(folder, 'node_modules', 'herdr-mcp'), remove };
  remove();
  throw new LocalError(
    'npm_failed',
    `npm could not install ${path}: ${done.stderr.toString('utf8').trim().split('\n').slice(-3).join(' ')}; nothing was changed.`,
    'Check the file and the network, then try again.',
  );
}

/**
 * Deletes releases that nothing needs, with their revisions, whose native modules they hold: neither the named ones, nor
 * one whose programs run, are wanted, or can be rolled back to.
 */
async function forgetOld(stateDir: string, kept: readonly string[]): Promise<void> {
  const [{ observed }, desired, releases] = await Promise.all([
    readObserved(stateDir),
    readDesired(stateDir),
    listReleases(stateDir),
  ]);
  const used = new Set([
    desired?.active,
    desired?.candidate,
    desired?.programs,
    observed?.active?.revision,
    observed?.previous,
    observed?.draining?.revision,
    ...(observed?.children ?? []).map(({ revision }) => revision),
  ]);
  const isNeeded = ({ id, revision }: Release) => kept.includes(id) || (revision !== undefined && used.has(revision));
  for (const { revision } of releases.filter((release) => !isNeeded(release))) {
    if (revision !== undefined) await deleteRevision(stateDir, revision);
  }
  await removeReleasesExcept(stateDir, new Set(releases.filter(isNeeded).map(({ id }) => id)));
}
