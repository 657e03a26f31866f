/** One small sheet for all three pages: system type, both colour schemes, readable on a phone without zooming. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--page:#f6f8fa;--card:#fff;--line:#d0d7de;--warn:#9a6700;--warn-bg:#fff8c5;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--page:#0d1117;--card:#161b22;--line:#3d444d;--warn:#d29922;--warn-bg:#2d2407;--good:#3fb950}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:1.25rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;margin-top:1rem}
main>div>.card>:first-child,.card>div:first-child>:first-child{margin-top:0}
:lang(ja) :is(h1,h2){word-break:auto-phrase}
h1{font-size:1.3rem;line-height:1.3;margin:0}
h2{font-size:.95rem;margin:1.1rem 0 .25rem;color:var(--soft);font-weight:600}
p{margin:.35rem 0}
ul{margin:.25rem 0;padding-left:1.2rem}
.soft{color:var(--soft);font-size:.9rem}
.good{color:var(--good);font-weight:600}
.warn{background:var(--warn-bg);border-left:.25rem solid var(--warn);padding:.6rem .8rem;border-radius:.35rem;margin:.75rem 0}
.code{font:700 2.2rem/1.2 ui-monospace,monospace;letter-spacing:.25em;margin:.25rem 0}
pre{background:var(--page);border:1px solid var(--line);border-radius:.5rem;padding:.7rem;margin:.25rem 0;white-space:pre-wrap;font:.95rem/1.4 ui-monospace,monospace}
button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:.5rem;padding:.55rem 1rem;min-height:2.75rem;cursor:pointer;margin-top:.5rem}
.keep{white-space:nowrap}
[hidden]{display:none!important}
`;
