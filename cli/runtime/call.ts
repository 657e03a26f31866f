/** A call of `herdr_call` as it is asked and answered over MCP, whichever way it takes. */
import { LocalError } from '../../local/error/index.ts';
import { START } from '../start-it.ts';

export type Answer = Record<string, unknown>;

/** The request's body. */
export function callOf(method: string, params: Answer): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'herdr_call', arguments: { method, params: JSON.stringify(params) } },
  });
}

/** The JSON inside `content[0].text`, or undefined when the answer is none of a tool. */
export function resultOf(message: unknown): Answer | undefined {
  const content = (message as { result?: { content?: { text?: unknown }[] } } | undefined)?.result?.content;
  const inside = content?.[0]?.text;
  if (typeof inside !== 'string') return undefined;
  const value: unknown = JSON.parse(inside);
  return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
}

export const absent = (cause?: unknown): LocalError =>
  new LocalError(
    'runtime_absent',
    'No runtime is running here, so nothing was asked.',
    `Start it (${START}), then try again.`,
    cause,
  );

export const silent = (cause: unknown): LocalError =>
  new LocalError(
    'runtime_silent',
    'The runtime did not answer; whether it acted is not known.',
    'Look at what it was to change before anything is repeated.',
    cause,
  );

export const unclear = (status: number): LocalError =>
  new LocalError(
    'runtime_unclear',
    `The runtime answered ${status} and nothing that can be read.`,
    'herdr-mcp doctor shows what is wrong.',
  );
