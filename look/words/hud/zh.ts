import type { en } from './en.ts';

export const zh: Record<keyof typeof en, string> = {
  handoffLater: '此版本尚不支持交接。',
};
