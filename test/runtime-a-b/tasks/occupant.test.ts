import { expect, it } from 'vitest';
import { elapsedMs, isAnotherAgent } from '../../../runtime-a-b/tasks/occupant.ts';
import { verifies } from '../../verifies.ts';

const process = (name: string, ...argv: string[]) => ({ pid: 1, name, argv });

it.each<[string, ReturnType<typeof process>[], string | null, boolean]>([
  ['the one that was asked', [process('pi', '/bin/sh', '/opt/pi')], 'pi', false],
  ['another one in its process', [process('claude', '/bin/sh', '/opt/claude')], 'pi', true],
  ['another one behind a runtime', [process('node', 'node', '--no-warnings', '/opt/bin/codex.js')], 'pi', true],
  [
    'the one that was asked, which has another one as its child',
    [process('pi', 'pi'), process('codex', 'codex')],
    'pi',
    false,
  ],
  ['a sandbox that runs the one that was asked', [process('box', 'box', 'run', '--', 'claude')], 'claude', false],
  ['a command that is no agent', [process('vim', 'vim', 'notes.md')], 'pi', false],
  ['a question about another agent on its command line', [process('node', 'node', 'x.js', 'codex')], 'pi', false],
  ['nobody', [], 'pi', false],
  ['an agent that is known by its own report alone', [process('claude', 'claude')], 'my-agent', false],
  ['an agent without a kind', [process('claude', 'claude')], null, false],
])('another agent sits there: %s', (_, processes, kind, expected) => {
  verifies('tasks.lifecycle');
  expect(isAnotherAgent(processes, kind)).toBe(expected);
});

it.each([
  ['00:07', 7_000],
  [' 12:34\n', 754_000],
  ['01:00:05', 3_605_000],
  ['2-03:00:00', 183_600_000],
  ['', undefined],
  ['soon', undefined],
])('the age %j of a process is %s ms', (text, expected) => {
  verifies('tasks.lifecycle');
  expect(elapsedMs(text)).toBe(expected);
});
