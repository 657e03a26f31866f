import { DurableObject } from 'cloudflare:workers';
import type {
  Automation,
  AutomationSecret,
  Connector,
  ConnectorApprove,
  ConnectorInspect,
  PendingRequest,
} from '../../contract/fleet/index.ts';
import {
  AUTHORIZE_PER_MINUTE,
  DOCUMENT_FETCHES_PER_MINUTE,
  type IdentityEnv,
  POLLS_PER_MINUTE,
  RateWindow,
  REGISTRATIONS_PER_MINUTE,
  REVOKE_RETRY_MS,
  type Refused,
  refusal,
  SWEEP_MS,
  TOKEN_REQUESTS_PER_MINUTE,
} from '../http/index.ts';
import { log, logFault } from '../log.ts';
import { type Answer, errorAnswer, slowDown } from './answer.ts';
import { approve, deny, unknownRequest } from './approvals.ts';
import {
  allAutomations,
  automationToken,
  automationView,
  createAutomation,
  endAutomation,
  rotateAutomation,
  unknownAutomation,
} from './automations.ts';
import { assertedClientId, Documents, isDocumentId, proveClient, register } from './clients/index.ts';
import {
  allConnectors,
  type ConnectorRow,
  confirmEnded,
  connectorView,
  endConnector,
  findConnector,
  unconfirmed,
} from './connectors.ts';
import { presentedBy } from './credentials.ts';
import { Locks } from './locks.ts';
import { findRequest, openRequests, requestView } from './requests.ts';
import { tellWorkstations } from './revoking.ts';
import { type Followed, follow, type Opened, open, type SignInContext } from './sign-in.ts';
import { signOut } from './signing-out.ts';
import { type AuthStore, openStore } from './store/index.ts';
import { sweep } from './sweeping.ts';
import { exchange, grantWord } from './tokens.ts';
import { type Validated, validate } from './validation.ts';

/**
 * Who may call: clients, sign-ins, grants, tokens, connectors. One object for the whole deployment, so that reads follow
 * writes and a code or refresh token is spent once. Nothing in it is locked globally: a slow client's host delays only
 * who waits for that very client.
 */
export class Auth extends DurableObject<IdentityEnv> {
  #store!: AuthStore;
  #documents!: Documents;
  readonly #locks = new Locks();
  readonly #registrations = new RateWindow(REGISTRATIONS_PER_MINUTE);
  readonly #fetches = new RateWindow(DOCUMENT_FETCHES_PER_MINUTE);
  readonly #signIns = new RateWindow(AUTHORIZE_PER_MINUTE);
  readonly #polls = new RateWindow(POLLS_PER_MINUTE);
  readonly #tokenRequests = new RateWindow(TOKEN_REQUESTS_PER_MINUTE);

  constructor(ctx: DurableObjectState, env: IdentityEnv) {
    super(ctx, env);
    ctx.blockConcurrencyWhile(async () => {
      this.#store = await openStore(ctx.storage);
      this.#documents = new Documents(this.#store, () => Date.now());
    });
  }

  /** RFC 7591 registration. */
  async register(input: { origin: string; address: string; body: string }): Promise<Answer> {
    const waitMs = this.#registrations.hit(input.address, Date.now());
    if (waitMs > 0) return slowDown(waitMs);
    await this.#wakeForSweep();
    const answer = await register(this.#store, input, Date.now());
    log(answer.status === 201 ? 'client_registered' : 'client_refused', { status: answer.status });
    return answer;
  }

  /** The token endpoint, and the revocation endpoint when `form` has no `grant_type`. */
  async token(input: { origin: string; address: string; form: string; authorization: string | null }): Promise<Answer> {
    const waitMs = this.#tokenRequests.hit(input.address, Date.now());
    if (waitMs > 0) return slowDown(waitMs);
    const { origin, address } = input;
    const form = new URLSearchParams(input.form);
    const presented = presentedBy(form, input.authorization);
    const grantType = form.get('grant_type');
    if (grantType === 'client_credentials') return automationToken(this.#store, { origin, presented }, Date.now());
    const clientId = presented.clientId || (assertedClientId(form) ?? '');
    const known = await this.#resolveClient(clientId, address);
    if (!known || !(await proveClient(this.#store, { origin, form, clientId }, Date.now()))) {
      log('token_refused', { why: 'invalid_client' });
      return errorAnswer(401, 'invalid_client', 'The client is not known here, or did not prove itself.');
    }
    const run = grantType === null ? signOut : exchange;
    const request = { origin, form, presented: { ...presented, clientId } };
    const { answer, ended } = await run(this.#store, this.#locks, request, () => Date.now());
    if (answer.status >= 400) log('token_refused', { status: answer.status, grant: grantWord(grantType) });
    if (ended) log('connector_ended', { connector: ended.connectorId, why: ended.endedWhy ?? undefined });
    // A host that has signed out, and a thief whose reuse was noticed, are refused from the very next call on.
    if (ended) await this.#finishEnding(ended);
    return answer;
  }

  /** Opens the sign-in page of an authorization request. */
  async open(input: { query: string; origin: string; address: string }): Promise<Opened> {
    const context = this.#signInContext();
    if (!context) return { kind: 'error', problem: 'misconfigured' };
    if (this.#signIns.hit(input.address, Date.now()) > 0) {
      return { kind: 'error', problem: 'too_fast' };
    }
    await this.#wakeForSweep();
    const opened = await open(context, input);
    if (opened.kind === 'page') log('sign_in_opened', { request: opened.view.requestId });
    if (opened.kind === 'error') log('sign_in_refused', { why: opened.problem });
    return opened;
  }

  /** How a sign-in is doing, for its page; `cancel` denies it from there. */
  async follow(input: { requestId: string; pageToken: string; cancel: boolean; address: string }): Promise<Followed> {
    if (this.#polls.hit(input.address, Date.now()) > 0) return { state: 'slow' };
    const context = this.#signInContext();
    const followed: Followed = context ? await follow(context, input) : { state: 'unknown' };
    if (input.cancel && followed.state === 'denied') log('sign_in_denied', { request: input.requestId, by: 'page' });
    return followed;
  }

  /** Whether a bearer holds for the resource of `origin`, and for whom. */
  validate(token: string, origin: string): Promise<Validated | null> {
    return validate(this.#store, token, origin, Date.now());
  }

  /** Open sign-ins and all connectors, oldest first. Reads only. */
  listConnectors(): { requests: PendingRequest[]; connectors: Connector[] } {
    return {
      requests: openRequests(this.#store, Date.now()).map(requestView),
      connectors: allConnectors(this.#store).map(connectorView),
    };
  }

  inspect(input: ConnectorInspect): { ok: true; request?: PendingRequest; connector?: Connector } | Refused {
    if ('request_id' in input) {
      const row = findRequest(this.#store, input.request_id);
      return row ? { ok: true, request: requestView(row) } : unknownRequest(input.request_id);
    }
    const row = findConnector(this.#store, input.connector_id);
    return row ? { ok: true, connector: connectorView(row) } : unknownConnector(input.connector_id);
  }

  async approve(input: ConnectorApprove & { by: string }): Promise<{ ok: true; connector: Connector } | Refused> {
    const codeSecret = this.env.CODE_SECRET;
    if (!codeSecret)
      return refusal('edge_misconfigured', 'The edge has no CODE_SECRET.', 'Set the secret and try again.');
    const answer = await approve(this.#store, codeSecret, input, Date.now());
    const about = { request: input.request_id, by: input.by };
    if (answer.ok) log('connector_approved', { ...about, connector: answer.connector.connector_id });
    else log(answer.code === 'locked' ? 'sign_in_locked' : 'approval_refused', { ...about, why: answer.code });
    return answer;
  }

  deny(requestId: string): { ok: true; request: PendingRequest } | Refused {
    const answer = deny(this.#store, requestId, Date.now());
    if (answer.ok) log('sign_in_denied', { request: requestId, by: 'device' });
    return answer;
  }

  /**
   * Ends a connector: its tokens stop here at once, then every workstation writes a tombstone. Success means that all
   * have confirmed; otherwise the object goes on trying, and asking again converges.
   */
  async revoke(connectorId: string): Promise<{ ok: true; connector: Connector; confirmed_by: string[] } | Refused> {
    const row = endConnector(this.#store, connectorId, 'revoked_by_owner', Date.now());
    if (!row) return unknownConnector(connectorId);
    const { confirmed, missing } = await this.#finishEnding(row);
    if (missing.length === 0) {
      const now = findConnector(this.#store, connectorId) ?? row;
      return { ok: true, connector: connectorView(now), confirmed_by: confirmed };
    }
    return refusal(
      'connector_revoke_incomplete',
      `${row.label} gets no new token and no new call through the edge; ${missing.length} workstation(s) have not confirmed yet.`,
      'Run the same command again; it goes on where this one stopped.',
      { candidates: missing },
    );
  }

  async #finishEnding(row: ConnectorRow): Promise<{ confirmed: string[]; missing: string[] }> {
    try {
      const told = await tellWorkstations(this.env, { id: row.connectorId, deviceId: row.deviceId });
      if (told.missing.length === 0) confirmEnded(this.#store, row.connectorId);
      else await this.#wakeBy(Date.now() + REVOKE_RETRY_MS);
      log('connector_revoked', {
        connector: row.connectorId,
        why: row.endedWhy ?? undefined,
        confirmed: told.confirmed.length,
        missing: told.missing.length,
      });
      return told;
    } catch (error) {
      logFault('connector_revoke', error, { connector: row.connectorId });
      await this.#wakeBy(Date.now() + REVOKE_RETRY_MS);
      return { confirmed: [], missing: ['fleet'] };
    }
  }

  listAutomations(): Automation[] {
    return allAutomations(this.#store).map(automationView);
  }

  async createAutomation(input: {
    name: string;
    deviceId: string;
    by: string;
    origin: string;
  }): Promise<AutomationSecret | Refused> {
    const answer = await createAutomation(this.#store, input, Date.now());
    if (answer.ok) {
      log('automation_created', { automation: answer.automation.client_id, device: input.deviceId, by: input.by });
    }
    return answer;
  }

  async rotateAutomation(input: { clientId: string; origin: string }): Promise<AutomationSecret | Refused> {
    const answer = await rotateAutomation(this.#store, input, Date.now());
    if (answer.ok) log('automation_rotated', { automation: input.clientId });
    return answer;
  }

  /** Ends an automation client here and at its device; asking again converges. */
  async revokeAutomation(clientId: string): Promise<{ ok: true; automation: Automation } | Refused> {
    const row = endAutomation(this.#store, clientId, Date.now());
    if (!row) return unknownAutomation(clientId);
    const { missing } = await tellWorkstations(this.env, { id: clientId, deviceId: row.deviceId });
    log('automation_revoked', { automation: clientId, missing: missing.length });
    if (missing.length === 0) return { ok: true, automation: automationView(row) };
    return refusal(
      'automation_revoke_incomplete',
      `${row.name} gets no new token; its workstation has not confirmed yet.`,
      'Run the same command again; it goes on where this one stopped.',
      { candidates: missing },
    );
  }

  override async alarm(): Promise<void> {
    sweep(this.#store, Date.now());
    for (const row of unconfirmed(this.#store)) await this.#finishEnding(row);
    await this.#wakeForSweep();
  }

  /** One alarm a day is enough for what only has to disappear. */
  async #wakeForSweep(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + SWEEP_MS);
  }

  async #wakeBy(atMs: number): Promise<void> {
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > atMs) await this.ctx.storage.setAlarm(atMs);
  }

  #signInContext(): SignInContext | undefined {
    const codeSecret = this.env.CODE_SECRET;
    if (!codeSecret) return undefined;
    return {
      store: this.#store,
      locks: this.#locks,
      codeSecret,
      clock: () => Date.now(),
      resolveClient: (clientId, address) => this.#resolveClient(clientId, address),
    };
  }

  async #resolveClient(clientId: string, address: string): Promise<boolean> {
    if (!isDocumentId(clientId)) return true;
    return this.#documents.resolve(clientId, () => this.#fetches.hit(address, Date.now()) === 0);
  }
}

const unknownConnector = (connectorId: string): Refused =>
  refusal(
    'connector_not_found',
    `There is no connector ${connectorId}. Nothing was changed.`,
    'Run `herdr-mcp connector list` and use an id from there.',
  );
