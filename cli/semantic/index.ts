/** `herdr-mcp semantic …`: which small models give advice on this machine, and asking them by hand. */
import type { SemanticRoute } from '../../contract/semantic/index.ts';
import { NO_UP_TO, verdictOf, YES_FROM } from '../../contract/semantic/verdict.ts';
import { readConfig, saveConfig } from '../../local/config/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { UsageError } from '../exit.ts';
import { note, readSecret, say, sayJson, table } from '../terminal/index.ts';
import { addressTrouble, withoutRoute, withRoute } from './routes.ts';
import { askSemantic } from './socket.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;
const stateText = {
  type: 'string',
  description: 'What is judged; read from stdin when absent',
} as const;

type Json = Record<string, unknown>;
const PROTOCOLS = ['decision', 'decision-vercel', 'openai-chat'] as const;

const configFile = () => statePaths(resolveStateDir(process.env)).config;

const status = action('status', 'Which providers answer, and what happened lately', { json }, async (args) => {
  const configured = (await readConfig(configFile())).semantic?.routes ?? [];
  const live = await askSemantic('status').catch((error: unknown) => {
    if (error instanceof LocalError && error.code === 'runtime_absent') return undefined;
    throw error;
  });
  if (args.json) {
    return sayJson({
      configured: configured.map(({ name, protocol, model }) => ({ name, protocol, model })),
      runtime: live ?? null,
    });
  }
  if (!live) {
    note('No runtime is running here; this is what config.json says.');
    if (configured.length === 0) return say('No route is configured here.');
    return table([
      ['ROUTE', 'PROTOCOL', 'MODEL'],
      ...configured.map((one) => [one.name, one.protocol, one.model]),
    ]).forEach(say);
  }
  const rows = [...list(live.providers), ...list(live.chat_providers)];
  if (rows.length === 0) say('No provider: everything works without advice.');
  else {
    const cells = rows.map((one) => [
      String(one.name),
      one.from === 'edge' ? 'edge pool' : 'this machine',
      String(one.protocol),
      String(one.model),
      one.cooling_ms === undefined ? 'ready' : `left alone for ${Math.ceil(Number(one.cooling_ms) / 1000)} s`,
    ]);
    table([['ROUTE', 'FROM', 'PROTOCOL', 'MODEL', 'STATE'], ...cells]).forEach(say);
  }
  if (live.local_trouble) note(`The routes of config.json are not used: ${String(live.local_trouble)}.`);
  for (const one of list(live.recent).slice(-5)) {
    note(`${String(one.boundary)} ${String(one.kind)}: ${String(one.result)} in ${String(one.latency_ms)} ms`);
  }
});

const setup = action(
  'setup',
  'Add a provider to config.json, or change one; its key is asked for, never passed as an argument',
  {
    name: { type: 'string', description: 'A name for the route', required: true },
    protocol: { type: 'string', description: PROTOCOLS.join(', '), required: true },
    url: { type: 'string', description: 'https address, or http of this machine', required: true },
    model: { type: 'string', description: 'Which model is asked', required: true },
    'key-stdin': { type: 'boolean', description: 'Read the key from stdin instead of asking' },
    first: { type: 'boolean', description: 'Ask it before all others' },
    json,
  },
  async (args) => {
    const protocol = PROTOCOLS.find((known) => known === args.protocol);
    if (!protocol) throw new UsageError(`--protocol is one of ${PROTOCOLS.join(', ')}.`);
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(args.name)) throw new UsageError('--name is letters, digits, _ and -.');
    const trouble = addressTrouble(args.url);
    if (trouble) throw new UsageError(`--url cannot be used: ${trouble}.`);
    const file = configFile();
    const config = await readConfig(file); // before the key is asked for: a broken file is told first
    const otherwise = 'pipe the key in and pass --key-stdin';
    const key = await readSecret('Key of the provider: ', args['key-stdin'] === true, otherwise);
    if (!/^[\x21-\x7e]{1,4096}$/.test(key))
      throw new UsageError('The key is one word of printable characters. Nothing was saved.');
    const route: SemanticRoute = { name: args.name, protocol, url: args.url, model: args.model, api_key: key };
    ensurePrivateDir(resolveStateDir(process.env));
    const changed = withRoute(config, route, args.first === true);
    await saveConfig(file, changed);
    const order = (changed.semantic?.routes ?? []).map(({ name }) => name);
    if (args.json) return sayJson({ ok: true, order });
    say(`Saved. Routes in order: ${order.join(', ')}. The runtime uses them from its next question on.`);
  },
);

const remove = action(
  'remove',
  'Take a provider out of config.json',
  { name: { type: 'positional', description: 'The route’s name', required: true }, json },
  async (args) => {
    const file = configFile();
    const changed = withoutRoute(await readConfig(file), args.name);
    if (!changed)
      throw new LocalError(
        'not_found',
        `There is no route ${args.name} here; nothing was changed.`,
        'herdr-mcp semantic status lists them.',
      );
    await saveConfig(file, changed);
    if (args.json) return sayJson({ ok: true });
    say(`Removed ${args.name}.`);
  },
);

const decide = action(
  'decide',
  `Ask a yes/no question: ${YES_FROM} and more is yes, ${NO_UP_TO} and less is no`,
  { question: { type: 'positional', description: 'The question', required: true }, state: stateText, json },
  async (args) => {
    const answer = await evaluate(args.state, { type: 'noul', question: args.question });
    const noul = Number((answer.answer as { noul?: unknown }).noul);
    if (args.json) return sayJson({ ...answer, verdict: verdictOf(noul) });
    say(`${verdictOf(noul).replace('_', ' ')} (${noul.toFixed(2)})`);
  },
);

const choose = action(
  'choose',
  'Ask for one of several keys',
  {
    question: { type: 'positional', description: 'The question', required: true },
    choices: { type: 'string', description: 'key=meaning, separated by ;', required: true },
    state: stateText,
    json,
  },
  async (args) => {
    const choices = Object.fromEntries(
      parts(args.choices).map((part) => {
        const [key, ...meaning] = part.split('=');
        return [(key ?? '').trim(), meaning.join('=').trim() || (key ?? '').trim()];
      }),
    );
    if (Object.keys(choices).length < 2) throw new UsageError('--choices needs at least two.');
    const answer = await evaluate(args.state, { type: 'choice', question: args.question, choices });
    if (args.json) return sayJson(answer);
    const { choice, confidence } = answer.answer as { choice: string; confidence?: number };
    say(confidence === undefined ? choice : `${choice} (${confidence.toFixed(2)})`);
  },
);

const score = action(
  'score',
  'Ask for one of several levels, lowest first',
  {
    question: { type: 'positional', description: 'The question', required: true },
    levels: { type: 'string', description: 'Levels separated by ;', required: true },
    state: stateText,
    json,
  },
  async (args) => {
    const levels = parts(args.levels);
    if (levels.length < 2) throw new UsageError('--levels needs at least two.');
    const answer = await evaluate(args.state, { type: 'score', question: args.question, levels });
    if (args.json) return sayJson(answer);
    const value = Number((answer.answer as { score?: unknown }).score);
    say(`${value} (${levels[Math.round(value)] ?? ''})`);
  },
);

/** One question; a state that is not given comes from stdin. Throws when nobody answers: there is no advice to show. */
async function evaluate(state: string | undefined, question: Json): Promise<Json & { answer: unknown }> {
  const judged = state ?? (await readAll());
  if (judged.trim() === '') throw new UsageError('There is nothing to judge: pass --state or pipe a text in.');
  const told = await askSemantic('evaluate', { state: judged, questions: { q: question } });
  if (told.ok === true) {
    const { answers, ...rest } = told as Json & { answers: { q?: unknown } };
    return { ...rest, answer: answers.q };
  }
  const why = String(told.code ?? told.reason ?? 'unknown');
  throw new LocalError(
    why,
    `No provider answered (${why}). Nothing depends on it.`,
    'herdr-mcp semantic status shows the providers.',
  );
}

/** Longest state that is read from stdin, in bytes: what a question may hold. */
const STATE_BYTES_MAX = 64 * 1024;

async function readAll(): Promise<string> {
  if (process.stdin.isTTY) return '';
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > STATE_BYTES_MAX)
      throw new UsageError(`The text is longer than ${STATE_BYTES_MAX} characters. Nothing was asked.`);
  }
  return text;
}

const parts = (text: string): string[] =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export const semantic = group('semantic', 'Small models that give advice', {
  status,
  setup,
  remove,
  decide,
  choose,
  score,
});
