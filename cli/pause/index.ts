/** `herdr-mcp pause` and `resume`: whether the runtime takes calls. What runs goes on, and is listed. */
import { resolveStateDir } from '../../local/paths/index.ts';
import { askRunning, changeDesired, type Running } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { age, note, oneLine, say, sayJson } from '../terminal/index.ts';

export const pause = action(
  'pause',
  'Refuse all calls from now on, and list what runs',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const desired = await changeDesired(stateDir, (now) =>
      now.paused ? now : { ...now, paused: { since_ms: Date.now() } },
    );
    const running = await askRunning(stateDir);
    if (args.json) return sayJson({ paused: desired.paused ?? null, generations: running });
    say('Paused: every new call is refused until herdr-mcp resume.');
    for (const line of running.flatMap(linesOf)) say(line);
    if (running.some(({ answers }) => !answers))
      note(
        'A generation did not answer, so what it runs is not known. It refuses calls too: it looks at the same file.',
      );
    if (running.length === 0) say('No runtime is running.');
  },
);

function linesOf({ generation, calls, sessions, agents }: Running): string[] {
  const nowMs = Date.now();
  const lines = [
    ...calls.map(
      ({ tool, target, principal, since_ms }) =>
        `call      ${tool} ${target ?? ''} for ${age(nowMs - since_ms)}, from ${principal}`,
    ),
    ...sessions.map(
      ({ session_id, command, since_ms }) => `command   ${session_id} for ${age(nowMs - since_ms)}: ${command}`,
    ),
    ...agents.map(({ pane, agent, status }) => `agent     ${agent} in ${pane}: ${status}`),
  ].map(oneLine);
  return [
    lines.length === 0
      ? `Nothing runs in generation ${generation}.`
      : `Running in generation ${generation}, and not stopped by this:`,
    ...lines,
  ];
}

export const resume = action('resume', 'Take calls again', {}, async () => {
  let was = false;
  await changeDesired(resolveStateDir(process.env), (now) => {
    const { paused, ...rest } = now;
    was = paused !== undefined;
    return was ? rest : now;
  });
  say(was ? 'Calls are taken again.' : 'It was not paused.');
});
