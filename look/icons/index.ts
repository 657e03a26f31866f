/**
 * Icons of our own: lines of one weight on a grid of 16, drawn in the colour of the text beside them. An icon never says
 * alone what a control does; the words beside it, or its label, do.
 */
export const ICONS = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.2 14.4 13.3H1.6ZM8 6.4v3.1M8 11.4v.1',
  info: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 7.4v3.8M8 4.9v.1',
  unknown:
    'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1v.2M8 11.3v.1',
  wait: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.6V8l2.3 1.6',
  link: 'M6.6 9.4 9.4 6.6M7.2 4.6l1-1a3 3 0 0 1 4.2 4.2l-1 1M8.8 11.4l-1 1a3 3 0 0 1-4.2-4.2l1-1',
  unlink: 'M7.2 4.6l1-1a3 3 0 0 1 4.2 4.2l-1 1M8.8 11.4l-1 1a3 3 0 0 1-4.2-4.2l1-1M2.5 2.5l11 11',
  settings: 'M2 4.5h5.2M11 4.5h3M2 11.5h3M8.8 11.5H14M7.2 3v3M11 3v3M5 10v3M8.8 10v3',
  refresh: 'M13.2 6A5.5 5.5 0 1 0 13.4 9.4M13.6 2.4V6H10',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  pin: 'M5.2 2h5.6l-.6 4.6 2 2.2H3.8l2-2.2ZM8 8.8V14',
  copy: 'M6 6V2.5h7.5V10H10M2.5 6H10v7.5H2.5Z',
  external: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  send: 'M2.2 8 13.8 2.5 10.6 13.5 7.6 9.2ZM13.8 2.5 7.6 9.2',
  stop: 'M4 4h8v8H4Z',
  terminal: 'M2 3h12v10H2ZM4.8 6.2 7 8.1 4.8 10M8.6 10.2h2.8',
  workspace: 'M2 3h12v10H2ZM2 6.2h12M6.5 6.2V13',
  device: 'M3 3h10v7H3ZM1.5 12.8h13',
  chat: 'M2.5 3h11v8H8.2L5 13.6V11H2.5Z',
  handoff: 'M2 5.5h8.5M8 2.8l2.7 2.7L8 8.2M14 10.5H5.5M8 7.8l-2.7 2.7L8 13.2',
} as const;

export type IconName = keyof typeof ICONS;

/** Two panes, held together; the light says that somebody works. Drawn on a grid of 128. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" aria-hidden="true"><rect width="128" height="128" rx="30" fill="#4338b8"/><g fill="#fff"><rect x="27" y="26" width="21" height="76" rx="10.5"/><rect x="69" y="48" width="21" height="54" rx="10.5"/><rect x="38" y="57" width="42" height="17"/></g><circle cx="94" cy="28" r="15" fill="#5fe09a"/></svg>`;
