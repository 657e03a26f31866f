import type { en } from './en.ts';

export const ja: Record<keyof typeof en, string> = {
  handoffLater: '引き継ぎはこのバージョンではまだ使えません。',
};
