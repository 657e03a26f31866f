/** One question to the folder broker, which may be missing, too old or gone in the middle. */
import { createConnection } from 'node:net';
import * as Value from 'typebox/value';
import { BROKER_ANSWER_BYTES_MAX, BrokerAnswer, type BrokerAsk, BrokerGreeting } from '../../../contract/broker.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { ToolAnswer } from '../context.ts';
import { brokerBroken, brokerMissing, brokerTooOld } from './refuse.ts';

export interface AskOptions {
  socketPath: string;
  /** The revision below which nothing is asked. */
  needs: number;
  /** The command that starts or updates the broker, for refusals. */
  command: string;
  signal: AbortSignal;
}

/** The broker's answer. Throws its own refusals, and `protected_folder_unavailable` when no fitting broker serves. */
export function askBroker(ask: BrokerAsk, options: AskOptions): Promise<ToolAnswer> {
  const { socketPath, needs, command, signal } = options;
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: socketPath, signal });
    let parts: Buffer[] = [];
    let bytes = 0;
    let greeted = false;
    const fail = (error: OutcomeError) => {
      socket.destroy();
      reject(error);
    };
    socket.on('error', () => fail(greeted ? brokerBroken(command) : brokerMissing(command)));
    socket.on('close', () => reject(greeted ? brokerBroken(command) : brokerMissing(command)));
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes > BROKER_ANSWER_BYTES_MAX + 1) return fail(brokerBroken(command));
      if (part.at(-1) !== 10) return;
      const line = parsed(Buffer.concat(parts));
      parts = [];
      if (greeted) {
        if (!Value.Check(BrokerAnswer, line)) return fail(brokerBroken(command));
        socket.destroy();
        return line.ok ? resolve(line) : reject(new OutcomeError(line.code, line.message, refusal(line)));
      }
      if (!Value.Check(BrokerGreeting, line)) return fail(brokerBroken(command));
      if (line.revision < needs) return fail(brokerTooOld(line.revision, needs, command));
      greeted = true;
      socket.write(`${JSON.stringify(ask)}\n`);
    });
  });
}

function refusal({ next, delivery, details }: Extract<BrokerAnswer, { ok: false }>) {
  return { next, delivery, ...(details === undefined ? {} : { details }) };
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
