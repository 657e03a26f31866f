/**
 * `herdr-mcp doctor`: every check with what is wrong, why, and the one command that mends it. Changes nothing unless
 * `--fix`, which mends only what takes nothing from a person: rights of files, a service that does not run, a link that waits.
 */
import { refuseInManagedSession } from '../../local/managed/index.ts';
import { action } from '../command.ts';
import { EXIT } from '../exit.ts';
import { say, sayJson } from '../terminal/index.ts';
import { type Finding, runChecks } from './check.ts';
import { MACHINE } from './machine.ts';
import { PUBLIC } from './public.ts';
import { WORKSTATION } from './workstation.ts';

export const doctor = action(
  'doctor',
  'Check this workstation and say what to do; exit code 2 when something fails',
  {
    json: { type: 'boolean', description: 'Answer in JSON' },
    fix: { type: 'boolean', description: 'Also mend what can be mended without taking anything from you' },
  },
  async (args) => {
    if (args.fix) refuseInManagedSession('herdr-mcp doctor --fix', process.env);
    const [pairing, ...outside] = PUBLIC;
    const checks = [...MACHINE, ...(pairing ? [pairing] : []), ...WORKSTATION, ...outside];
    const findings = await runChecks(checks, process.env, args.fix === true);
    const failed = findings.filter((finding) => finding.state === 'failed');
    if (args.json) sayJson({ ok: failed.length === 0, findings });
    else findings.flatMap(shown).forEach(say);
    if (failed.length > 0) process.exitCode = EXIT.usage;
  },
);

const MARK = { ok: 'ok     ', note: 'note   ', failed: 'FAILED ', unknown: 'unknown' } as const;

function shown({ name, state, fact, next, fixed }: Finding): string[] {
  return [
    `${MARK[state]} ${name}: ${fact}`,
    ...(next ? [`          → ${next}`] : []),
    ...(fixed ? [`          mended: ${fixed}`] : []),
  ];
}
