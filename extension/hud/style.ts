/** Styles of the bar and of the Queue button, each inside its own shadow root. */
import { TOKENS, tokenCss } from '../../look/tokens.ts';

const { space, radius } = TOKENS;

const BUTTON = `
button{font:inherit;color:var(--text);background:var(--ground);border:1px solid var(--edge);border-radius:7px;
padding:2px ${space.s};min-height:24px;cursor:pointer;white-space:nowrap}
button:hover:not([aria-disabled=true]){border-color:var(--accent)}
button:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
button[aria-disabled=true]{color:var(--quiet);cursor:default}
button.on{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
`;

export const BAR_CSS = `${tokenCss(':host')}
:host{all:initial;position:fixed;left:0;right:0;bottom:0;z-index:2147483647;pointer-events:none;display:block}
${tokenCss('.frame')}
.frame{font-size:var(--size-compact);line-height:1.4;display:flex;flex-direction:column;align-items:center;gap:${space.xs};padding:0 ${space.s} 2px}
.bar,.card,.toast{pointer-events:auto;background:var(--ground);border:1px solid var(--line);border-radius:${radius};
box-shadow:0 1px 6px rgb(0 0 0/.18);max-width:min(100%,1100px);box-sizing:border-box}
.bar{display:flex;align-items:center;gap:${space.s};min-height:28px;padding:2px ${space.s};flex-wrap:wrap;justify-content:center}
.bar[role=toolbar]{flex:none}
.bar.auto{border-color:var(--good)}
.name{font-weight:600}
.quiet{color:var(--quiet)}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.group{display:flex;gap:${space.xs};align-items:center;flex-wrap:wrap;justify-content:center}
.state{max-width:22em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
/* What a person has to read is never cut off. */
.state:is(.warn,.bad){white-space:normal;overflow-wrap:anywhere;max-width:40em}
.card{padding:${space.s} ${space.m};max-height:40vh;overflow:auto;min-width:18em}
.card h2{font:inherit;font-weight:600;margin:0 0 ${space.xs};display:flex;justify-content:space-between;gap:${space.m}}
.card ul{margin:0;padding:0;list-style:none}
.card li{padding:1px 0;overflow-wrap:anywhere}
.card li li{padding-left:${space.m}}
.toast{padding:${space.xs} ${space.m};overflow-wrap:anywhere}
${BUTTON}
@media (max-width:820px){.optional{display:none}.bar{gap:${space.xs}}}
@media (prefers-reduced-motion:no-preference){.toast{transition:opacity .15s}}
`;

export const QUEUE_CSS = `${tokenCss(':host')}
:host{font-size:var(--size-compact);display:inline-flex;align-items:center;margin:0 ${space.xs}}
${BUTTON}
button{border-radius:16px;min-height:32px;padding:2px ${space.m}}
button.doubt{border-color:var(--warn);color:var(--warn)}
`;

/** Room below the page, so that a bar of this height (CSS px) covers nothing of it. */
export function roomCss(height: number): string {
  return `body{padding-bottom:${Math.ceil(height)}px!important;box-sizing:border-box!important}`;
}
