/** Git as worktree calls need it: the repository around a directory, its checkouts, and a runner. */
export { checkoutFinder, isFolder } from './checkout.ts';
export { systemGit } from './run-git.ts';
export {
  branchSlug,
  type Checkout,
  type Git,
  type GitOutcome,
  generatedBranch,
  parseWorktrees,
  type Repository,
  repositoryAt,
} from './worktrees.ts';
