/**
 * A process that writes into a journal until it is killed: `writer.ts <state dir> <name> [count]`. It says on stdout what
 * was acknowledged, one line each, only after the call returned: `turn <id>`, `evidence <id>`, `checkpoint <revision>`.
 */
import { writeSync } from 'node:fs';
import { OutcomeError } from '../../../contract/outcome.ts';
import { appendJournalTurn, openContinuity } from '../../../runtime-a-b/continuity/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';

const [dir = '', name = '', count = '1000000'] = process.argv.slice(2);
const { journal, methods } = openContinuity(openState(dir));
const partition = { project_ref: 'p', repo_id: 'r', work_chain_id: 'w' };
const session = { provider: 'claude', session_ref: name };
let dispatches = 0;

const say = (line: string) => writeSync(1, `${line}\n`);
const call = async (method: string, params: Record<string, unknown>) => {
  const found = methods[method];
  if (!found) throw new Error(`no method ${method}`);
  return found.run(params, {
    dispatchId: `d_${name}_${process.pid}_${++dispatches}`,
    principal: { kind: 'connector', id: name },
    deviceId: 'dev_1',
    nowMs: () => Date.now(),
    live: { view: () => ({ server: undefined }) },
  });
};

await call('work_memory.bind', { ...partition, ...session });
say('ready');
for (let i = 0; i < Number(count); i++) {
  const ref = `${name}-${i}`;
  const turn = await call('work_memory.append_turn', {
    ...partition,
    ...session,
    role: i % 2 === 0 ? 'user' : 'assistant',
    text: `検索 unique${name}x${i} ${'filler '.repeat(200)}`,
    provider_message_ref: ref,
  });
  say(`turn ${turn.message_id}`);
  appendJournalTurn(
    journal,
    {
      conversation: { provider: 'chatgpt', conversationId: name },
      continuityId: `hc:${name}`,
      messageId: `j${ref}`,
      role: 'user',
      text: `journaled ${ref}`,
      observedAtMs: Date.now(),
    },
    Date.now(),
  );
  say(`journal j${ref}`);
  const proof = await call('work_memory.append_evidence', { ...partition, kind: 'note', content: `evidence ${ref}` });
  say(`evidence ${proof.evidence_id}`);
  for (;;) {
    const { checkpoint_revision: expected } = await call('work_memory.bind', partition);
    try {
      const put = await call('work_memory.checkpoint.put', {
        ...partition,
        expected_checkpoint_revision: expected,
        summary: `by ${ref}`,
        checkpoint_json: JSON.stringify({ by: ref }),
        through_evidence_id: proof.evidence_id,
      });
      say(`checkpoint ${put.checkpoint_revision} ${put.checkpoint_sha256}`);
      break;
    } catch (error) {
      if (!(error instanceof OutcomeError)) throw error;
      // Somebody was faster, or has gone further already: both are answers of compare-and-set.
      if (error.code === 'work_memory_checkpoint_invalid') break;
      if (error.code !== 'work_memory_checkpoint_revision_conflict') throw error;
    }
  }
}
say('done');
