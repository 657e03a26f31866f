/**
 * Which names look like secrets (reference: runtime 3.3). Pure; the path is given relative to its root, so that what
 * stands above the root never matters.
 *
 * Fixed names (`.env`, `id_rsa`, `*.pem` …) count in every segment. The words secret, token and credential count as
 * whole words of a name, and not on the way to a file whose extension says source code: `tokenizer.ts` is no secret,
 * and neither is `src/token/parser.ts`.
 */

const FIXED: readonly RegExp[] = [
  /^\.env$/,
  /^\.env\./,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /\.(pem|key|p12|pfx)$/,
  /^[._]netrc$/,
  /^\.pgpass$/,
  /^\.pypirc$/,
];

const WORD = /^(secret|token|credential)s?$/;

const SOURCE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs py pyi rb rs go java kt kts scala groovy c h cc cpp cxx hh hpp hxx m mm swift cs fs vb ' +
    'php pl pm lua r jl dart ex exs erl hrl hs ml mli clj cljs cljc el lisp scm zig nim v sol vue svelte astro html htm ' +
    'css scss sass less sql sh bash zsh fish ps1 bat cmd proto graphql gql thrift wat asm s cu glsl wgsl tf nix'
  ).split(' '),
);

export type LeafKind = 'file' | 'directory';

/**
 * Whether a path inside a root is hidden from the file tools. A directory is hidden by a fixed name only, because
 * `src/token/` may hold nothing but source; what lies in it is judged file by file.
 */
export function isSecretPath(relative: string, leaf: LeafKind = 'file'): boolean {
  const segments = relative === '' ? [] : relative.split('/').map(asRead);
  if (segments.some((segment) => hasFixedName(segment))) return true;
  if (isGitConfig(segments)) return true;
  if (leaf === 'directory') return false;
  const last = segments.at(-1);
  if (last === undefined || isSourceFile(last)) return false;
  return segments.some((segment) => hasSecretWord(segment));
}

const ASCII = /^[\x20-\x7e]*$/;

/**
 * A name as a reader takes it: full-width and long-s letters are letters, invisible characters are nothing. Some file
 * systems find the same file by such a spelling.
 */
function asRead(segment: string): string {
  if (ASCII.test(segment)) return segment;
  return segment.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Git's own configuration may hold URLs with passwords, also that of submodules and worktrees. */
function isGitConfig(segments: readonly string[]): boolean {
  const git = segments.findIndex((segment) => segment.toLowerCase() === '.git');
  return git >= 0 && git < segments.length - 1 && /^config(\.worktree)?$/i.test(segments.at(-1) ?? '');
}

function hasFixedName(segment: string): boolean {
  const name = segment.toLowerCase();
  return FIXED.some((pattern) => pattern.test(name));
}

function isSourceFile(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && SOURCE_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

function hasSecretWord(segment: string): boolean {
  return wordsOf(segment).some((word) => WORD.test(word));
}

/** `apiToken-v2.json` → api, token, v, 2, json. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])([0-9])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}
