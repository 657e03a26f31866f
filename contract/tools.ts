/** The names of the tools and what kind of call each is, without their schemas: small enough for every plane. */

export const READ_TOOLS: ReadonlySet<string> = new Set([
  'herdr_inspect',
  'herdr_since',
  'herdr_skill',
  'herdr_methods',
  'herdr_git',
  'herdr_exec_read',
  'herdr_fs_read',
  'herdr_fs_list',
  'herdr_fs_grep',
  'herdr_fs_image',
  'herdr_devices',
]);

/** The eight that may change something; each takes an optional `idempotency_key`. */
export const WRITE_TOOLS: ReadonlySet<string> = new Set([
  'herdr_call',
  'herdr_prompt',
  'herdr_exec',
  'herdr_exec_start',
  'herdr_exec_kill',
  'herdr_fs_edit',
  'herdr_fs_write',
  'herdr_fs_patch',
]);

/** Served by the edge itself and never forwarded. */
export const EDGE_TOOLS: ReadonlySet<string> = new Set(['herdr_devices']);
