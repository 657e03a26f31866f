/** What no caller may say to a browser: how to find something, what to run, where to go, who to be. Pure. */

/** Names of members that are refused wherever they stand, whatever they hold. */
export const FORBIDDEN_INPUTS: ReadonlySet<string> = new Set([
  'selector',
  'css_selector',
  'xpath',
  'javascript',
  'js',
  'script',
  'cdp',
  'cdp_command',
  'macro',
  'keyboard',
  'mouse',
  'url',
  'raw_url',
  'navigation',
  'shell',
  'command',
  'cookie',
  'cookies',
  'bearer',
  'bearer_token',
  'refresh_token',
  'credential',
  'credentials',
  'native_id',
  'native_identity',
]);

/** The first forbidden member at any depth, as it was spelt; case and `-` make no other name of it. */
export function forbiddenInput(given: unknown): string | null {
  const open: unknown[] = [given];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next.filter((one) => one !== undefined && one !== null));
    else if (typeof next === 'object' && next !== null) {
      for (const [name, value] of Object.entries(next)) {
        if (FORBIDDEN_INPUTS.has(spelt(name))) return name;
        if (value !== undefined && value !== null) open.push(value);
      }
    }
  }
  return null;
}

/** `rawUrl`, `raw-url` and `RAW_URL` are `raw_url`. */
function spelt(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
