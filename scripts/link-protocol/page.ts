/** The page about the link protocol, made from the schemas, the limits and the decisions themselves. */
import { readFileSync } from 'node:fs';
import { CallEnvelope, Principal, ResultEnvelope } from '../../contract/call.ts';
import {
  CHUNK_BYTES,
  FRAME_BYTES_MAX,
  HEADER_BYTES_MAX,
  IN_FLIGHT_BYTES_MAX,
  PEER_SILENT_MS,
  PING_INTERVAL_MS,
  READ_RESULT_TTL_MS,
  RESULT_BYTES_MAX,
} from '../../contract/limits.ts';
import { CLOSE, FRAME_SCHEMAS, LINK_PROTOCOL, LINK_SUBPROTOCOL, RuntimeFacts } from '../../contract/link/index.ts';
import { afterEnding } from '../../link/socket/index.ts';
import { type Commented, readComments } from './comments.ts';
import { edgeInterruptions, returns } from './edge-interruptions.ts';
import { interruptions } from './interruptions.ts';

/** A JSON schema, as far as the page needs it. */
interface Schema {
  type?: string;
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  minimum?: number;
  pattern?: string;
}

const FROM: Record<keyof typeof FRAME_SCHEMAS, string> = {
  hello: 'link → edge',
  welcome: 'edge → link',
  refuse: 'edge → link',
  call: 'edge → link',
  accepted: 'link → edge',
  result: 'link → edge',
  ack: 'edge → link',
  cancel: 'edge → link',
  settle: 'edge → link',
  status: 'both',
  drain: 'link → edge',
  revoke: 'edge → link',
  problem: 'both',
};

const NAMED = new Map<unknown, string>([
  [CallEnvelope, 'CallEnvelope'],
  [ResultEnvelope, 'ResultEnvelope'],
  [RuntimeFacts, 'RuntimeFacts'],
  [Principal, 'Principal'],
]);

/** The whole page as Markdown. */
export function linkProtocolPage(): string {
  const frames = commentsOf('../../contract/link/frames.ts');
  const calls = commentsOf('../../contract/call.ts');
  return [
    `# Link protocol ${LINK_PROTOCOL}`,
    '',
    '<!-- Made by `node scripts/link-protocol-doc.ts` from contract/link, contract/limits.ts and link/. Do not edit. -->',
    '',
    'What the link on a workstation and the device’s object at the edge say to each other, over one WebSocket that the',
    'link opens. The link connects to `wss://<edge>/ws/<device_id>` and offers two subprotocols:',
    `\`${LINK_SUBPROTOCOL}\`, which the edge selects, and \`herdr-auth.<token>\`, a JWT signed by the device’s Ed25519 key`,
    '(`aud` the edge’s origin, `sub` the device, at most 60 s, its `jti` accepted once).',
    '',
    'A frame is one binary message: four bytes big-endian length of the header, the header as UTF-8 JSON, the payload’s',
    'bytes. The payload is the arguments of a call or a piece of a result; nobody on the way parses it. The text messages',
    '`ping` and `pong` are the only others.',
    '',
    'A field that is not listed is ignored. A frame of an unknown kind is answered with `problem` and ignored. A frame',
    'that does not fit its schema is answered with `problem`, which names its dispatch when that can be read. None of',
    'these ends a connection.',
    '',
    '## Conversation',
    '',
    '1. The link sends `hello` with everything that it holds: calls that run, and results that were not acknowledged.',
    '2. The edge answers `welcome` (or `refuse`). Settled results are forgotten, awaited ones are sent first, then the rest.',
    '3. For each `call` the link sends `accepted` when it begins to hand a write to the runtime, and `result` in one or',
    '   more chunks when it has finished. It keeps the result until the edge’s `ack`, over as many sockets as it takes.',
    '4. Chunks of several results alternate, and small results overtake them: a small one waits behind one chunk at most.',
    '5. A moved pointer makes the link say `hello` again on the same socket. `drain` says that it takes no new calls.',
    '',
    '## Frames',
    ...Object.entries(FRAME_SCHEMAS).flatMap(([kind, schema]) => {
      const about = commentOf(frames, `${kind[0]?.toUpperCase()}${kind.slice(1)}`);
      const from = FROM[kind as keyof typeof FRAME_SCHEMAS];
      return ['', `### \`${kind}\` (${from})`, '', about.about, '', ...table(schema as Schema, about)];
    }),
    '',
    '## Envelopes',
    ...(
      [
        ['CallEnvelope', CallEnvelope, calls],
        ['Principal', Principal, calls],
        ['ResultEnvelope', ResultEnvelope, calls],
        ['RuntimeFacts', RuntimeFacts, frames],
      ] as const
    ).flatMap(([name, schema, comments]) => [
      '',
      `### ${name}`,
      '',
      ...table(schema as Schema, comments.get(name) ?? { about: '', fields: new Map() }),
    ]),
    '',
    '## Close codes',
    '',
    '| code | what the link does |',
    '|---|---|',
    ...Object.values(CLOSE)
      .sort((a, b) => a - b)
      .map((code) => `| ${code} | ${afterClose(code)} |`),
    `| every other | ${afterClose(1006)} |`,
    '',
    '## Limits',
    '',
    '| limit | value | reason |',
    '|---|---|---|',
    ...limitRows(),
    '',
    '## When a call is interrupted',
    '',
    '`unknown` means: look it up by its dispatch id. A write is sent again by us only where it certainly never arrived, or',
    'where the ledger would join it to the first.',
    '',
    '### The link is back and does not list a call that was sent',
    '',
    '| what broke | a read | a write |',
    '|---|---|---|',
    ...returns(),
    '',
    '### What the edge tells the caller',
    '',
    '| where | then | delivery | a read may be sent again | a write may | next step |',
    '|---|---|---|---|---|---|',
    ...edgeInterruptions(),
    '',
    '### What the link tells when something between it and the tool breaks',
    '',
    '| where | then | delivery | a read may be sent again | a write may | next step |',
    '|---|---|---|---|---|---|',
    ...interruptions(),
    '',
  ].join('\n');
}

function commentsOf(path: string): Map<string, Commented> {
  return readComments(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

function commentOf(comments: Map<string, Commented>, name: string): Commented {
  const found = comments.get(name);
  if (found === undefined || found.about === '')
    throw new Error(`${name} has no comment, so the page has nothing to say`);
  return found;
}

function table(schema: Schema, comments: Commented): string[] {
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.const === undefined);
  if (fields.length === 0) return ['No fields.'];
  return [
    '| field | type | |',
    '|---|---|---|',
    ...fields.map(([name, field]) => {
      const optional = schema.required?.includes(name) ? '' : ', optional';
      return `| \`${name}\` | ${typeOf(field)}${optional} | ${comments.fields.get(name) ?? ''} |`;
    }),
  ];
}

function typeOf(schema: Schema): string {
  const name = NAMED.get(schema) ?? [...NAMED].find(([known]) => same(known as Schema, schema))?.[1];
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties).map(([field, member]) => `\`${field}\`: ${typeOf(member)}`);
    return `{ ${members.join(', ')} }`;
  }
  if (schema.pattern === '^d_[0-9a-f]{32}$') return 'dispatch id';
  const bounds = schema.maxLength === undefined ? '' : `, at most ${schema.maxLength}`;
  return `${schema.type}${bounds}${schema.minimum === undefined ? '' : ` ≥ ${schema.minimum}`}`;
}

/** An optional field holds a copy of the schema that it was made of. */
function same(known: Schema, schema: Schema): boolean {
  return schema.properties !== undefined && JSON.stringify(known.properties) === JSON.stringify(schema.properties);
}

function afterClose(code: number): string {
  const next = afterEnding({ kind: 'closed', code, reason: '' }, { failures: 0, clockCorrected: false });
  switch (next.do) {
    case 'end':
      return 'ends: the device was revoked';
    case 'await_promotion':
      return `waits for a promotion, or ${next.forMs / 60_000} minutes: the runtime’s contract is not accepted`;
    case 'park':
      return `parks: a newer link took over. It tries again on command, or after ${next.forMs / 60_000} minutes if the edge has no live link`;
    case 'wait':
    case 'correct_clock':
    case 'reconnect':
      return 'reconnects, after 0 to 0.5 s at first and up to 60 s later';
  }
}

function limitRows(): string[] {
  const source = commentsOf('../../contract/limits.ts');
  const mine = {
    FRAME_BYTES_MAX,
    HEADER_BYTES_MAX,
    CHUNK_BYTES,
    RESULT_BYTES_MAX,
    IN_FLIGHT_BYTES_MAX,
    READ_RESULT_TTL_MS,
    PING_INTERVAL_MS,
    PEER_SILENT_MS,
  };
  return Object.entries(mine).map(
    ([name, value]) => `| \`${name}\` | ${humane(name, value)} | ${commentOf(source, name).about} |`,
  );
}

function humane(name: string, value: number): string {
  if (name.endsWith('_MS')) return `${value / 1000} s`;
  return value >= 1024 * 1024 ? `${value / 1024 / 1024} MiB` : `${value / 1024} KiB`;
}
