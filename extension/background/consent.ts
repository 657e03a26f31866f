/** What the person allows in this browser, as it stands at the runtime; changed only when it still is what was shown. */
import type { EndpointAnswer, RegistryAnswer } from '../../contract/extension/index.ts';
import type { ConsentView } from '../panel.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface Consents {
  /** Null: the runtime cannot say. */
  read(): Promise<ConsentView | null>;
  set(wanted: { webchat: boolean; revision: number }): Promise<ConsentView | null>;
}

export interface ConsentParts {
  /** This browser at the runtime. */
  endpoint(): Promise<EndpointAnswer | null>;
  runtime: Pick<RuntimeDoor, 'registry'>;
}

export function createConsents({ endpoint, runtime }: ConsentParts): Consents {
  return {
    async read() {
      const known = await endpoint();
      return known && view(known.consent.webchat_control, known.consent_revision, false);
    },
    async set({ webchat, revision }) {
      const known = await endpoint();
      if (known === null) return null;
      const answer = await runtime.registry({
        operation: 'endpoint.consent',
        endpoint_ref: known.endpoint_ref,
        expected_revision: revision,
        consent: { ...known.consent, webchat_control: webchat },
      });
      return answer && stands(answer);
    },
  };
}

function stands(answer: RegistryAnswer): ConsentView | null {
  if (!('consent' in answer) || answer.consent === undefined || answer.consent_revision === undefined) return null;
  return view(answer.consent.webchat_control, answer.consent_revision, !answer.ok);
}

const view = (webchat: boolean, revision: number, conflict: boolean): ConsentView => ({ webchat, revision, conflict });
