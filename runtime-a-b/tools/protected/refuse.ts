/** The texts of refusals around protected folders. Each says that the runtime touched nothing, and what helps. */
import { OutcomeError } from '../../../contract/outcome.ts';

const CODE = 'protected_folder_unavailable';

export function brokerMissing(command: string): OutcomeError {
  return new OutcomeError(
    CODE,
    'This folder is protected and read by the folder broker only, and none serves it now; nothing was touched.',
    {
      next: `Ask the person at the workstation to run: ${command}`,
    },
  );
}

export function brokerTooOld(installed: number, needs: number, command: string): OutcomeError {
  return new OutcomeError(
    CODE,
    `This folder is protected, and the folder broker that runs has revision ${installed}; this runtime needs ${needs}. Nothing was asked of it and nothing was touched.`,
    {
      next: `Ask the person at the workstation to update the broker: ${command}`,
      details: { broker_revision: installed, needed_revision: needs },
    },
  );
}

export function brokerBroken(command: string): OutcomeError {
  return new OutcomeError(
    'read_failed',
    'The folder broker did not answer the question to its end; nothing was changed.',
    {
      next: `Call again; if it stays so, ask the person at the workstation to run: ${command}`,
    },
  );
}

export function onlyReading(tool: string, place: string): OutcomeError {
  return new OutcomeError(
    CODE,
    `${place} lies in a protected folder, which is read through the folder broker and never changed by ${tool}; nothing was touched.`,
    {
      next: 'Read there, and make changes with herdr_exec, which runs in a visible pane of that workspace.',
    },
  );
}
