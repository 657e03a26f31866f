/**
 * The packet in which a conversation's own model sums it up, and the message that begins the next conversation with it
 * (reference/extension.md 4.11). Asked for where the site has no recorded chain (z.ai); from ChatGPT one is only read that
 * an earlier transfer has left. Only a whole packet under its own id counts. Pure.
 */
import { PACKET_CHARS_MAX } from './limits.ts';

const opening = (id: string): string => `<<<HERDR_HANDOFF_V1 id=${id}>>>`;
const CLOSING = '<<<END_HERDR_HANDOFF_V1>>>';
/** Ids of transfers: ours, and those of earlier versions. */
const REQUESTED = /<<<HERDR_HANDOFF_V1 id=([A-Za-z0-9._:-]{1,96})>>>/g;
/** An answer that is one packet and nothing else, bare or as one block of code. */
const ALONE =
  /^(?:```[a-z]*\n)?<<<HERDR_HANDOFF_V1 id=(?:(?!<<<(?:END_)?HERDR_HANDOFF_V1).)+<<<END_HERDR_HANDOFF_V1>>>(?:\n```)?$/s;

const HEADINGS = [
  'Goal',
  'Done',
  'Decisions',
  'Open work',
  'Identifiers (workspace, paths, branch, commits, tasks)',
  'Constraints',
  'Next steps',
];
const FORM = HEADINGS.map((heading) => `${heading}: …`).join('\n');

/** What the source's model is asked; it says by its id which packet is meant. */
export function requestOf(id: string): string {
  return [
    'This conversation is about to go on in a new chat. Write its handoff packet now and nothing else: no tool calls, no words before or after it.',
    `Facts only, nothing invented, at most ${PACKET_CHARS_MAX} characters, between these two lines and with these headings:`,
    opening(id),
    FORM,
    CLOSING,
  ].join('\n');
}

/** Whether these words ask for the packet of this id. */
export const isRequestOf = (text: string, id: string): boolean => text.includes(opening(id));

/** The packet that an answer holds; null: none that is whole, filled in, and short enough. */
export function packetIn(answer: string, id: string): string | null {
  const from = answer.lastIndexOf(opening(id));
  const to = answer.indexOf(CLOSING, from);
  if (from < 0 || to < 0) return null;
  const packet = answer.slice(from + opening(id).length, to).trim();
  if (packet === '' || packet === FORM || packet.length > PACKET_CHARS_MAX) return null;
  // Nothing in it may pass for a mark of ours, its own end among them.
  return packet.replaceAll(/[[<]+(?=\/?(?:END_)?HERDR_)/g, '(');
}

/**
 * A packet that an earlier transfer has asked for and got, and never used. Who asked is not known here, so one that an answer
 * only quotes is none: it may be a stranger's text that was pasted into the chat.
 */
export function leftPacket(asked: string, answer: string): { id: string; packet: string } | null {
  const [id, ...more] = new Set([...asked.matchAll(REQUESTED)].map(([, named]) => named));
  const packet = id === undefined || more.length > 0 || !ALONE.test(answer.trim()) ? null : packetIn(answer, id);
  return id === undefined || packet === null ? null : { id, packet };
}

/** The first message of the new conversation. */
export function seedOf(given: { id: string; packet: string; sourceUrl: string; continuityId: string | null }): string {
  const { id, packet, sourceUrl, continuityId } = given;
  return [
    `[HERDR_CONTINUITY_TRANSFER id=${id}]`,
    'This conversation continues work that was begun in another one. Below is how that one summed itself up: history, not the present.',
    '1. First inspect the live workspace, Git and running tasks before anything is changed. What may have happened already is looked up, not repeated.',
    '2. Then go on with the open work.',
    ...(continuityId === null ? [] : [`Chain: ${continuityId}`]),
    `Previous conversation: ${sourceUrl}`,
    '',
    packet,
    '[END_HERDR_CONTINUITY_TRANSFER]',
  ].join('\n');
}

/** The mark by which a message of a handoff is found in its conversation; null: it is none. */
export function markIn(message: string): string | null {
  return /^\[HERDR_CONTINUITY_(?:REF id=[^\s\]]+ |TRANSFER id=[^\s\]]+\])/.exec(message)?.[0] ?? null;
}
