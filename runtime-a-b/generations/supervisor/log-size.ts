import { statSync } from 'node:fs';

/** How long a log is now, in bytes; 0 when there is none. What a process says later stands after it. */
export const logSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
