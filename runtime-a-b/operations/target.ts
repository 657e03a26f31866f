/** What a call acts on, for the audit trail and for receipts: a place or a name from its arguments, never contents. */

/** Arguments that name a place, most telling first. */
const PLACES = ['path', 'root', 'project_root', 'workspace', 'target', 'session_id'] as const;

/** Longest target that is kept, in characters; a path may be 4096 bytes long. */
const TARGET_CHARS_MAX = 4_096;

/** The target and, for `herdr_call`, the inner method. Pure. */
export function targetOf(
  tool: string,
  args: Record<string, unknown>,
): { method: string | null; target: string | null } {
  // What a person does to a pane from the Side Panel names it inside its target.
  if (tool === 'herdr_control') {
    const pane = Reflect.get(Object(args.target), 'pane_id');
    return {
      method: typeof args.action === 'string' ? args.action : null,
      target: typeof pane === 'string' ? pane.slice(0, TARGET_CHARS_MAX) : null,
    };
  }
  if (tool !== 'herdr_call') return { method: null, target: place(args) };
  const method = typeof args.method === 'string' ? args.method : null;
  return { method, target: innerPlace(args.params) };
}

function place(args: Record<string, unknown>): string | null {
  const found = PLACES.map((name) => args[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found.slice(0, TARGET_CHARS_MAX) : null;
}

/** Ids inside the parameters of `herdr_call`; text that does not parse names nothing. */
function innerPlace(params: unknown): string | null {
  if (typeof params !== 'string') return null;
  let value: unknown;
  try {
    value = JSON.parse(params);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const record = value as Record<string, unknown>;
  const ids = ['pane_id', 'target_pane_id', 'tab_id', 'workspace_id', 'cwd'].map((name) => record[name]);
  const id = ids.find((candidate) => typeof candidate === 'string' && candidate !== '');
  return typeof id === 'string' ? id.slice(0, TARGET_CHARS_MAX) : place(record);
}
