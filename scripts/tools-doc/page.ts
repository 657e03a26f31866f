/** The page about the tools, made from the frozen contract and the lists that say which of them change something. */
import { CURRENT_PUBLIC, CURRENT_RUNTIME, EPOCH_STATE } from '../../contract/epochs/index.ts';
import { EDGE_TOOLS, WRITE_TOOLS } from '../../contract/tools.ts';

/** An argument's schema, as far as the plain subset of the contract goes. */
interface Argument {
  type?: string;
  description?: string;
  enum?: readonly string[];
  items?: Argument & { properties?: Record<string, Argument> };
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

type Published = (typeof CURRENT_RUNTIME.tools)[number];

/** docs/tools.md, whole. Pure: the same contract gives the same bytes. */
export function toolsPage(): string {
  const edge = CURRENT_PUBLIC.tools.filter((tool) => EDGE_TOOLS.has(tool.name));
  const tools = [...CURRENT_RUNTIME.tools, ...edge];
  return `${[
    '# The tools',
    '',
    'Made from the contract by `npm run docs:tools`; a test holds it current.',
    '',
    `A workstation serves ${CURRENT_RUNTIME.tools.length} tools (runtime epoch ${CURRENT_RUNTIME.epoch}, ${EPOCH_STATE.runtime}, \`${CURRENT_RUNTIME.hash}\`).`,
    `The public address serves ${CURRENT_PUBLIC.tools.length} (public epoch ${CURRENT_PUBLIC.epoch}, ${EPOCH_STATE.public}, \`${CURRENT_PUBLIC.hash}\`): the same, each with an`,
    'optional `device`, and the one of the edge itself.',
    '',
    '| tool | what it does | kind | arguments |',
    '|---|---|---|---|',
    ...tools.map(row),
    '',
    'Arguments in **bold** are required. A call with any other argument is refused before anything runs.',
    ...tools.flatMap(section),
  ].join('\n')}\n`;
}

function row(tool: Published): string {
  const { names, required } = argumentsOf(tool);
  const listed = names.map((name) => (required.has(name) ? `**\`${name}\`**` : `\`${name}\``));
  return `| [\`${tool.name}\`](#${tool.name}) | ${cell(tool.title)} | ${kindOf(tool.name)} | ${listed.join(' ') || '—'} |`;
}

function section(tool: Published): string[] {
  const { schema, names, required } = argumentsOf(tool);
  return [
    '',
    `## \`${tool.name}\``,
    '',
    tool.description,
    ...(names.length === 0 ? [] : ['', '| argument | type | meaning |', '|---|---|---|']),
    ...names.map((name) => {
      const argument = schema[name] ?? {};
      const title = required.has(name) ? `**\`${name}\`**` : `\`${name}\``;
      return `| ${title} | ${cell(typeOf(argument))} | ${cell(argument.description ?? '')} |`;
    }),
  ];
}

function argumentsOf(tool: Published) {
  const { properties = {}, required = [] } = tool.inputSchema as {
    properties?: Record<string, Argument>;
    required?: string[];
  };
  return { schema: properties, names: Object.keys(properties), required: new Set(required) };
}

/** `herdr_call` is whatever its inner method is, so it is asked for by name and never claimed to be one of both. */
function kindOf(name: string): string {
  if (name === 'herdr_call') return 'by its method';
  if (WRITE_TOOLS.has(name)) return 'changes';
  return EDGE_TOOLS.has(name) ? 'reads, at the edge' : 'reads';
}

function typeOf(argument: Argument): string {
  if (argument.enum) return argument.enum.map((word) => `\`${word}\``).join(', ');
  if (argument.type === 'array') return `list of ${argument.items ? typeOf(argument.items) : 'anything'}`;
  const { minimum, maximum, minLength, maxLength } = argument;
  const [from, to] = argument.type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const unit = argument.type === 'string' ? ' characters' : '';
  const top = to === Number.MAX_SAFE_INTEGER ? undefined : to;
  if (top !== undefined)
    return `${argument.type}, ${from === undefined ? `at most ${top}` : `${from} to ${top}`}${unit}`;
  return from === undefined ? `${argument.type}` : `${argument.type}, from ${from}${unit}`;
}

/** Text inside a table's cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
