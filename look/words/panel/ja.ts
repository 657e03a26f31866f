import type { en } from './en.ts';

export const ja: Record<keyof typeof en, string> = {
  product: 'Herdr MCP',
};
