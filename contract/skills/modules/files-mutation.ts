import type { SkillModule } from '../module.ts';

export const filesMutation: SkillModule = {
  id: 'files-mutation',
  title: 'Changing files',
  description: 'Exact edits, patches over several files, whole files; what the dirty and busy gates mean.',
  text: `# Changing files

- Choose the smallest tool that says exactly what should change: herdr_fs_edit for one exact spot, herdr_fs_patch for several spots or files, all or nothing, herdr_fs_write for a new or whole file. An edit of your own that you are sure of needs no agent.
- Read before you change. Give expected_sha256 when somebody else may be writing, and an idempotency_key always.
- old_string occurs exactly once. old_string_not_found shows the nearest text and where it differs; copy from what was read, do not guess spaces. An ambiguous hunk is refused with the line numbers: add context.
- dry_run checks a large patch without touching anything.
- A gate tells an observed fact. agent_working: an agent works in this project; usually wait or work elsewhere. file_dirty_confirmation_required: the file has changes that are not committed; read the diff and know whose they are. The confirm flags say "seen", they do not make the changes yours. readonly_mode and root_not_whitelisted have no flag: the owner decides.
- Only Git roots are changed. operational_root_mutation_unsupported means: a directory without Git, whose changes nobody could take back.
- delivery not_delivered: nothing was changed; correct and send again. delivery unknown: read the file or herdr_mcp.dispatch.status first. An edit that seems lost may be there already.
- After a change, see it: herdr_git diff of that path, then the narrowest check that would notice a mistake.
- Leave what you did not mean to touch exactly as it was: line endings, encoding, a missing last newline.
`,
};
