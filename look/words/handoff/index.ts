import { en } from './en.ts';
import { ja } from './ja.ts';
import { zh } from './zh.ts';

export type HandoffWords = Readonly<Record<keyof typeof en, string>>;

export const HANDOFF = { en, ja, zh } as const;
