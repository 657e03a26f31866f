/**
 * The look of everything that a person sees: colours for light and dark, spaces, type. Which text may stand on which ground
 * is {@link PAIRS}; a test computes that each of them differs enough in both schemes (WCAG 2.2 AA: text 4.5:1, what shows
 * where a control is 3:1).
 */
const light = {
  /** Behind everything. */
  page: '#f5f5f8',
  /** Cards, the bar, fields. */
  ground: '#ffffff',
  /** Commands, what the pointer is over. */
  raised: '#ecedf2',
  /** Between things; carries no meaning. */
  line: '#d6d8e0',
  /** Around a control. */
  edge: '#7b8192',
  text: '#1a1c25',
  quiet: '#555b6a',
  accent: '#4338b8',
  onAccent: '#ffffff',
  accentSoft: '#ebeafb',
  good: '#0d693a',
  goodSoft: '#e2f3e9',
  warn: '#774a00',
  warnSoft: '#fcefd6',
  bad: '#ac2219',
  badSoft: '#fdeae8',
};

/** The name of a colour. */
export type Colour = keyof typeof light;

const dark: Record<Colour, string> = {
  page: '#13151a',
  ground: '#1b1e25',
  raised: '#282c36',
  line: '#3b404d',
  edge: '#838a9b',
  text: '#eceef4',
  quiet: '#aab1bf',
  accent: '#b1abff',
  onAccent: '#19153f',
  accentSoft: '#2a284f',
  good: '#7bdaa4',
  goodSoft: '#163328',
  warn: '#f2bf65',
  warnSoft: '#392b11',
  bad: '#ffa199',
  badSoft: '#43211e',
};

export const TOKENS = {
  light,
  dark,
  space: { xs: '4px', s: '8px', m: '12px', l: '20px', xl: '32px' },
  radius: '10px',
  radiusSmall: '6px',
  /** Height that a finger finds and an eye does not stumble over. */
  control: '32px',
  /** Sizes of type in px, as they are before a person has set another size in the browser. */
  size: { small: 12, compact: 13, base: 14, large: 16, title: 22 },
  family:
    'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Hiragino Sans", "Noto Sans CJK JP", "PingFang SC", "Noto Sans CJK SC", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
} as const;

const GROUNDS = ['page', 'ground', 'raised'] as const satisfies readonly Colour[];
const on = (grounds: readonly Colour[], ...colours: Colour[]) =>
  colours.flatMap((colour) => grounds.map((ground) => [colour, ground] as const));

/** What stands on what, and by how much the two must differ at least. */
export const PAIRS: readonly { min: number; pairs: readonly (readonly [Colour, Colour])[] }[] = [
  {
    min: 4.5,
    pairs: [
      ...on(GROUNDS, 'text', 'quiet', 'accent', 'good', 'warn', 'bad'),
      ...on(['accentSoft', 'goodSoft', 'warnSoft', 'badSoft'], 'text', 'quiet'),
      ['accent', 'accentSoft'],
      ['good', 'goodSoft'],
      ['warn', 'warnSoft'],
      ['bad', 'badSoft'],
      ['onAccent', 'accent'],
    ],
  },
  { min: 3, pairs: on([...GROUNDS, 'accentSoft', 'goodSoft', 'warnSoft', 'badSoft'], 'edge') },
];

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * The tokens as custom properties of `selector`, dark where the person's system is. Our own pages give type in `rem`, so
 * that it follows the browser's size; on a page that is not ours that size belongs to the page, so it is `px` there.
 */
export function tokenCss(selector: string, unit: 'px' | 'rem' = 'px'): string {
  const list = (values: Readonly<Record<string, string>>, prefix = '') =>
    Object.entries(values)
      .map(([name, value]) => `--${prefix}${dashed(name)}:${value}`)
      .join(';');
  const sizes = Object.fromEntries(
    Object.entries(TOKENS.size).map(([name, px]) => [name, unit === 'px' ? `${px}px` : `${px / 16}rem`]),
  );
  const { space, radius, radiusSmall, control, family, mono } = TOKENS;
  const measures = [list(space, 'space-'), list(sizes, 'size-'), list({ radius, radiusSmall, control, family, mono })];
  return `${selector}{color-scheme:light dark;${list(light)};${measures.join(';')};font:var(--size-base)/1.5 var(--family);color:var(--text)}
@media (prefers-color-scheme:dark){${selector}{${list(dark)}}}`;
}
