/** Browser profiles of one workstation: each asks the same runtime, over its real socket, whose it is. */
import { EXTENSION_ROUTE, type RegistryAnswer, type RegistryRequest } from '../../contract/extension/index.ts';
import { ask, socketOf } from '../runtime-a-b/http/extension/client.ts';
import { type TestRuntime, testRuntime } from '../runtime-a-b/support/index.ts';

let rt: TestRuntime | undefined;

export async function beginRuntime(): Promise<void> {
  rt = await testRuntime();
}

/** Also where none was begun. */
export async function endRuntime(): Promise<void> {
  await rt?.end();
  rt = undefined;
}

export type Profile = ReturnType<typeof profile>;

/** What a browser has to do with the runtime; `quiet` once everything that was said has been answered. */
export function profile(seed: string) {
  const open = new Set<Promise<unknown>>();
  const said: RegistryRequest[] = [];
  let up = true;
  async function send(request: RegistryRequest): Promise<RegistryAnswer | null> {
    if (rt === undefined || !up) return null;
    said.push(request);
    const options = { method: 'POST', body: JSON.stringify(request) };
    const { status, body } = await ask(socketOf(rt.stateDir), EXTENSION_ROUTE.registry, options);
    return status === 200 ? (body as unknown as RegistryAnswer) : null;
  }
  const registry = (request: RegistryRequest) => {
    const answer = send(request);
    open.add(answer);
    void answer.finally(() => open.delete(answer));
    return answer;
  };
  const register = {
    operation: 'endpoint.register',
    profile_seed: seed.repeat(64),
    browser_family: 'chromium',
    extension_version: '1.0.0',
  } as const;
  const endpointRef = async () => {
    const answer = await registry(register);
    return answer?.ok && 'consent_revision' in answer ? answer.endpoint_ref : null;
  };
  return {
    wakes: { registry: { endpointRef }, runtime: { registry } },
    /** Every request that reached the runtime. */
    said,
    setHost(reached: boolean) {
      up = reached;
    },
    async quiet() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}
