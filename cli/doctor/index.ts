/** `herdr-mcp doctor`: every check with what is wrong and what to do. Changes nothing. */
import { action } from '../command.ts';
import { EXIT } from '../exit.ts';
import { say, sayJson } from '../terminal/index.ts';
import { CHECKS, runChecks } from './checks.ts';

export const doctor = action(
  'doctor',
  'Check this workstation and say what to do; exit code 2 when something fails',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const findings = await runChecks(CHECKS, process.env);
    const failed = findings.filter((finding) => finding.state === 'failed');
    if (args.json) sayJson({ ok: failed.length === 0, findings });
    else
      for (const { name, state, fact, next } of findings)
        say(`${MARK[state]} ${name}: ${fact}${next ? ` ${next}` : ''}`);
    if (failed.length > 0) process.exitCode = EXIT.usage;
  },
);

const MARK = { ok: 'ok     ', failed: 'FAILED ', unknown: 'unknown' } as const;
