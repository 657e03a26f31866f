/**
 * One-line JSON logs to stderr or to a private file, with secrets taken out before anything is written.
 *
 * Two nets: values under a name that says secret are replaced at any depth, and the finished line is searched for
 * bearers and signed tokens, which also catches them inside messages and error texts.
 */
import pino from 'pino';
import { redactRecord, redactText } from './redact.ts';

export type Log = pino.Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  /** Which process speaks: `link`, `runtime-a`. */
  name: string;
  /** Appended to, created 0600; stderr when absent. */
  file?: string;
  level?: LogLevel;
}

/** A logger whose lines are written before the call returns, so that a crash loses none. */
export function createLog({ name, file, level = 'info' }: LogOptions): Log {
  const sink = file
    ? pino.destination({ dest: file, sync: true, mode: 0o600, mkdir: false })
    : pino.destination({ fd: 2, sync: true });
  return pino(
    {
      name,
      level,
      base: { name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (value: unknown) => value }, // redactRecord has made it plain
      formatters: { level: (label) => ({ level: label }), log: redactRecord },
    },
    { write: (line: string) => void sink.write(redactText(line)) },
  );
}
