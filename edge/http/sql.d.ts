/** Migrations are bundled as text (a `Text` rule for `*.sql` in `wrangler.toml`). */
declare module '*.sql' {
  const text: string;
  export default text;
}
