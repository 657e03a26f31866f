/**
 * The look of everything that a person sees: colours for light and dark, spaces, type. Text and the ground it stands on
 * differ by at least 4.5:1 in both (WCAG 2.2 AA).
 */
export const TOKENS = {
  light: {
    ground: '#ffffff',
    raised: '#f4f5f7',
    line: '#c9ced6',
    text: '#1b1f24',
    quiet: '#57606a',
    accent: '#0b57d0',
    onAccent: '#ffffff',
    good: '#116329',
    warn: '#7d4e00',
    bad: '#b3261e',
  },
  dark: {
    ground: '#1c1f23',
    raised: '#2a2e34',
    line: '#4a515b',
    text: '#eceff3',
    quiet: '#aab2bd',
    accent: '#8ab4f8',
    onAccent: '#0b1d38',
    good: '#7ee2a0',
    warn: '#f5c26b',
    bad: '#ff9d96',
  },
  space: { xs: '4px', s: '8px', m: '12px', l: '20px' },
  radius: '10px',
  font: '13px/1.4 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK JP", sans-serif',
} as const;

/** The tokens as custom properties of `selector`, dark where the person's system is. */
export function tokenCss(selector: string): string {
  const list = (colours: Readonly<Record<string, string>>) =>
    Object.entries(colours)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';');
  return `${selector}{${list(TOKENS.light)};font:${TOKENS.font};color:var(--text)}
@media (prefers-color-scheme:dark){${selector}{${list(TOKENS.dark)}}}`;
}
