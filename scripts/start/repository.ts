import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';

/** The root of the Git repository around a folder. Throws a sentence when Git is missing or there is no repository. */
export async function repositoryOf(folder: string): Promise<string> {
  let result: Awaited<ReturnType<typeof run>>;
  try {
    result = await run('git', ['-C', folder, 'rev-parse', '--show-toplevel']);
  } catch (error) {
    if (!(error instanceof LocalError) || error.code !== 'program_missing') throw error;
    throw new LocalError(
      'git_missing',
      'Git was not found on the PATH.',
      'Install git and run this again; nothing was started.',
      error,
    );
  }
  const root = result.stdout.toString('utf8').trimEnd();
  if (result.code === 0 && root !== '') return root;
  throw new LocalError(
    'no_repository',
    `${folder} is in no Git repository, and a workspace is opened on one.`,
    'Run this inside a repository, or name one: npm start -- <folder>. Nothing was started.',
  );
}
