import { en } from './en.ts';
import { ja } from './ja.ts';
import { zh } from './zh.ts';

export const HANDOFF = { en, ja, zh } as const;
