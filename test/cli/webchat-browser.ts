/** A browser at the private socket, played by hand: registered, asked, and as truthful as the test wants. */
import { createHash } from 'node:crypto';
import { type ActuationCommand, ADAPTER_PROTOCOL, type Evidence } from '../../contract/browser/actuation.ts';
import { userTextForm } from '../../contract/browser/user-text.ts';
import { EXTENSION_ROUTE } from '../../contract/extension/index.ts';
import { ask, socketOf } from '../runtime-a-b/http/extension/client.ts';

export const SOURCE = 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000001';
const CREATED = 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000002';
const CAPABILITIES = ['composer.submit', 'generation.stop', 'session.archive', 'session.create', 'session.open'];

export interface PlayedBrowser {
  endpoint: string;
  generation: number;
  account: string;
  session: string;
  /** What was asked of it, oldest first. */
  commands: ActuationCommand[];
  /** What it says it saw of a command; null: it takes it and never says anything. */
  see: (command: ActuationCommand) => Evidence | null;
  /** As a person at this browser. */
  consent(allowed: boolean): Promise<void>;
  /** A person's message in the chat; its answer is still being written. */
  turn(text: string): Promise<void>;
  /** The complete answer to a message that was accepted. */
  settle(dispatch: string, text: string): Promise<Record<string, unknown>>;
  end(): Promise<void>;
}

export async function playBrowser(stateDir: string): Promise<PlayedBrowser> {
  const post = async (path: string, body: object) =>
    (
      await ask(socketOf(stateDir), path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).body;
  const registry = (operation: string, body: object) => post(EXTENSION_ROUTE.registry, { operation, ...body });
  const registered = await registry('endpoint.register', {
    profile_seed: 'a'.repeat(64),
    browser_family: 'chromium',
    extension_version: '1.0.0',
  });
  const endpoint = String(registered['endpoint_ref']);
  const observed = await registry('provider.observe', {
    endpoint_ref: endpoint,
    provider: 'chatgpt',
    adapter_protocol_version: ADAPTER_PROTOCOL,
    capabilities: CAPABILITIES,
  });
  const generation = Number(observed['observation_generation']);
  const resource = async (kind: string, native: string, more: object) =>
    String(
      (
        await registry('resource.observe', {
          endpoint_ref: endpoint,
          provider: 'chatgpt',
          kind,
          native_identity: native,
          expected_generation: generation,
          ...more,
        })
      )['resource_ref'],
    );
  const account = await resource('account', 'me', {});
  const chat = (url: string, label: string) =>
    resource('session', url, { parent_ref: account, canonical_url: url, display_label: label });
  const session = await chat(SOURCE, 'Fix the parser');

  const ACCEPTED = { observed_generation: generation, command_accepted: true } as const;
  let revision = 0;
  let ended = false;
  const browser: PlayedBrowser = {
    endpoint,
    generation,
    account,
    session,
    commands: [],
    see: () => null,
    async consent(allowed) {
      const consent = { webchat_control: allowed, tool_bridge: false, tool_bridge_workstation_mutation: false };
      await registry('endpoint.consent', { endpoint_ref: endpoint, expected_revision: revision, consent });
      revision += 1;
    },
    async turn(text) {
      const now = Date.now();
      await registry('source_turn.observe', {
        session_ref: session,
        expected_generation: generation,
        turn_id: text,
        user_text_sha256: createHash('sha256').update(userTextForm(text)).digest('hex'),
        in_progress: true,
        started_at: now,
        observed_at: now,
      });
    },
    settle: (dispatch, text) =>
      post(EXTENSION_ROUTE.actuation, {
        operation: 'dispatch.result',
        endpoint_ref: endpoint,
        dispatch_id: dispatch,
        observed_generation: generation,
        accepted_user_message_ref: 'm-user',
        outcome: 'settled',
        assistant_message_ref: 'm-assistant',
        text,
      }),
    async end() {
      ended = true;
      await serving;
    },
  };
  const made = await chat(CREATED, 'New chat');
  browser.see = (command) => truth(command, ACCEPTED, made);

  const actuation = (operation: string, body: object) =>
    post(EXTENSION_ROUTE.actuation, { operation, endpoint_ref: endpoint, ...body });
  async function serve(): Promise<void> {
    const claimant = 'played-by-hand';
    const taken = new Set<string>();
    while (!ended) {
      const { waiting = [] } = (await actuation('actuation.pending', {})) as { waiting?: string[] };
      for (const id of waiting.filter((one) => !taken.has(one))) {
        taken.add(id);
        const { command } = await actuation('actuation.claim', { actuation_id: id, claimant });
        browser.commands.push(command as ActuationCommand);
        const confirmed = await actuation('actuation.confirm', { actuation_id: id, claimant, signed_in: account });
        if (confirmed['confirmed'] !== true) continue;
        const evidence = browser.see(command as ActuationCommand);
        if (evidence !== null) await actuation('actuation.report', { actuation_id: id, claimant, evidence });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const serving = serve();
  return browser;
}

/** What a browser sees where everything goes as it should. */
function truth(
  { operation, session }: ActuationCommand,
  accepted: { observed_generation: number; command_accepted: true },
  made: string,
): Evidence {
  const ref = session?.session_ref ?? made;
  const place = { session_ref: ref, canonical_url: session?.canonical_url ?? CREATED };
  switch (operation) {
    case 'session.create':
      return {
        ...accepted,
        ...place,
        lifecycle: 'active',
        accepted_message_ref: 'm-user',
        generation_status: 'generating',
      };
    case 'composer.submit':
      return { ...accepted, ...place, accepted_message_ref: 'm-user', message_baseline_advanced: true };
    case 'session.open':
      return { ...accepted, ...place };
    case 'session.archive':
      return { ...accepted, ...place, lifecycle: 'archived' };
    case 'generation.stop':
      return { ...accepted, ...place, generation_stopped: true };
  }
}
