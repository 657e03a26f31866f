import { tokenCss } from '../../look/tokens.ts';

/** One small sheet for all three pages, out of the tokens of all our surfaces; readable on a phone without zooming. */
export const STYLE = `${tokenCss(':root', 'rem')}
*{box-sizing:border-box}
body{margin:0;background:var(--page);font-size:var(--size-large);overflow-wrap:anywhere;text-wrap:pretty}
main{max-width:36rem;margin:0 auto;padding:var(--space-l)}
header{display:flex;align-items:center;gap:var(--space-s);margin:0 0 var(--space-l);font-weight:600;color:var(--quiet);font-size:var(--size-base)}
header svg{width:1.75rem;height:1.75rem;flex:none}
.card{background:var(--ground);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-l);margin-top:var(--space-m)}
.card>:first-child,.card>div:first-child>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
:lang(ja) :is(h1,h2){word-break:auto-phrase}
h1{font-size:var(--size-title);line-height:1.25;margin:0;letter-spacing:-.01em}
h2{font-size:var(--size-base);margin:var(--space-l) 0 var(--space-xs);color:var(--quiet);font-weight:600}
p{margin:var(--space-xs) 0}
ul{margin:var(--space-xs) 0;padding-left:1.2rem}
.soft{color:var(--quiet);font-size:var(--size-base)}
.good{color:var(--good);font-weight:600}
.warn{background:var(--warn-soft);border-left:4px solid var(--warn);padding:var(--space-m);border-radius:var(--radius-small);margin:var(--space-m) 0}
.code{font:700 2.2rem/1.2 var(--mono);letter-spacing:.25em;margin:var(--space-xs) 0}
pre{background:var(--raised);border-radius:var(--radius-small);padding:var(--space-m);margin:var(--space-xs) 0;white-space:pre-wrap;font:var(--size-large)/1.4 var(--mono)}
button{font:inherit;color:var(--text);background:var(--ground);border:1px solid var(--edge);border-radius:var(--radius-small);padding:var(--space-s) var(--space-l);min-height:2.75rem;cursor:pointer;margin-top:var(--space-s)}
button:hover{background:var(--raised)}
button.go-on{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.keep{white-space:nowrap}
[hidden]{display:none!important}
`;
