import type { SkillModule } from '../module.ts';

export const engineeringRobustness: SkillModule = {
  id: 'engineering-robustness',
  title: 'Robust engineering and checking yourself',
  description: 'Reproduce first, change little, verify in layers, and report what is known, unknown and untested.',
  text: `# Robust engineering and checking yourself

- Acceptance criteria before the work: what must be true, which command or observation shows it. Freeze the checks then; a failing check is a finding, not a reason to take it out.
- A defect is reproduced first: the smallest failing test or command, seen to fail for the expected reason. Then the change, then the same check, seen to pass.
- Change one thing for one reason. A second problem found on the way is named and treated on its own.
- Verify in layers, cheapest first: the diff itself, types and lint, the narrow test, its neighbours, the whole suite, the running thing. Each layer shows what it shows: a build that passes is no test, a test that passes is no product.
- herdr_mcp.validation.advise may reorder the frozen checks; all of them are run all the same.
- Look at the real result: the file, the row, the page, the log line. Exit 0 without the expected output is a failure that nobody reported.
- Errors have a place. Decide first whether it is the project, the tool, the connection or the control plane; a Herdr that cannot be asked says nothing about the repository.
- After an interruption read before you act: Git status and diff, open sessions, the inbox, herdr_mcp.dispatch.status for the last writes. Then continue from what is there.
- The same attempt failing twice is information: stop, look at the evidence, form another hypothesis. Retries are for what certainly did not arrive.
- Flaky is a finding: note seed, time and load; do not run it until it is green.
- Report plainly: what changed, which checks ran with which result, what was not checked, what is unknown, what a person has to decide. No success without the evidence beside it.
`,
};
