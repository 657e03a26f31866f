/** What the tests of tasks share: asking for tasks over the doors that their owners use. */
import type { CallEnvelope } from '../../../contract/call.ts';
import type { TasksAnswer, TaskView } from '../../../contract/extension/index.ts';
import { type TestRuntime, until } from '../support/index.ts';

/** A connector's conversation, or whoever else calls. */
export type Who = Pick<CallEnvelope, 'principal'> & Partial<Pick<CallEnvelope, 'caller_session'>>;

export const conversation = (session: string, id = 'conn_1'): Who => ({
  principal: { kind: 'connector', id, label: 'ChatGPT' },
  caller_session: session,
});

export const PERSON: Who = { principal: { kind: 'local', id: 'loopback', label: 'herdr-mcp' } };

export interface Desk {
  call(method: string, params: object, who: Who): Promise<Record<string, unknown>>;
  dispatch(target: string, text: string, who: Who, more?: object): Promise<Record<string, unknown>>;
  task(id: unknown, who: Who): Promise<TaskView>;
  /** The task once it has ended. */
  ended(id: unknown, who: Who): Promise<TaskView>;
  inbox(who: Who, more?: object): Promise<TasksAnswer & { browser_session_ref: string | null }>;
}

/** `runtime` gives the runtime of the moment: tests replace it. */
export function desk(runtime: () => Pick<TestRuntime, 'call'>): Desk {
  const made: Desk = {
    async call(method, params, who) {
      const { json } = await runtime().call(
        'herdr_call',
        { method: `herdr_mcp.agent.task.${method}`, params: JSON.stringify(params) },
        who,
      );
      return json;
    },
    dispatch: (target, text, who, more = {}) => made.call('dispatch', { target, text, ...more }, who),
    async task(id, who) {
      const answer = await made.call('status', { task_id: id }, who);
      if (answer.ok !== true) throw new Error(`${String(answer.code)}: ${String(answer.message)}`);
      return answer.task as TaskView;
    },
    ended: (id, who) =>
      until(`the end of ${String(id)}`, async () => {
        const task = await made.task(id, who);
        return task.terminal ? task : undefined;
      }),
    inbox: async (who, more = {}) => (await made.call('inbox', more, who)) as never,
  };
  return made;
}
