/**
 * `herdr_mcp.browser_handoff.prepare`: the one message that moves a chain into a new conversation. It is made from ids
 * alone: the same chain, source and purpose give the same bytes, whether a browser delivers it or a person pastes it. No
 * recorded text goes into it, so nothing that was once said can speak through it.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import type { Chain, Journal, MethodContext } from '../journal/index.ts';
import { partitionOfChain } from '../memory/index.ts';
import { candidate } from './candidates.ts';
import { distinct, resolveById } from './identity.ts';
import { HANDOFF_ID_CHARS_MAX } from './limits.ts';
import { ambiguous, closedChain, urlRefused } from './refusals.ts';
import { type ConversationAddress, readConversationUrl } from './url.ts';

export interface HandoffGiven {
  continuity_id: string;
  source_url: string;
  objective?: string;
  work_chain_id?: string;
  handoff_id?: string;
}

const MARK = 'HERDR_CONTINUITY_REF';

/** A name that can say nothing but a name; any other stays out of the message, and `params` still carries it. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@#-]*$/;

/** Reads only; throws when the chain cannot be resolved now, and the source conversation stays as it is. */
export function prepareHandoff(
  journal: Journal,
  given: HandoffGiven,
  context: Pick<MethodContext, 'deviceId'>,
): Record<string, unknown> {
  const { chain } = resolveById(journal, given.continuity_id);
  if (chain.status !== 'active') throw closedChain(chain.continuityId, chain.status);
  const reading = readConversationUrl(given.source_url);
  if (!reading.ok) throw urlRefused(reading.reason);
  const source = reading.address;
  const journaled = assertSource(journal, chain, source);
  const workChainId = workChainOf(chain, given.work_chain_id);
  const objective = oneLine(given.objective);
  const identity = {
    continuityId: chain.continuityId,
    sourceUrl: source.plainUrl,
    workChainId,
    objective,
    deviceId: context.deviceId,
  };
  const handoffId = given.handoff_id === undefined ? defaultId(identity) : checkedId(given.handoff_id);
  const message = messageOf({ ...identity, handoffId });
  const params = {
    source_url: source.plainUrl,
    message,
    ...(workChainId === null ? {} : { work_chain_id: workChainId }),
  };
  return {
    handoff: {
      handoff_id: handoffId,
      continuity_id: chain.continuityId,
      device_id: context.deviceId,
      source_url: source.plainUrl,
      message,
      work_chain_id: workChainId,
      target_context: { provider: source.provider, project_id: source.projectId || projectOf(chain, source) },
    },
    automatic_delivery: {
      method: 'herdr_mcp.browser_session.create',
      params,
      idempotency_key: handoffId,
    },
    manual_delivery: { copy_prompt: message },
    source: { canonical_url: source.canonicalUrl, journaled },
    safety: {
      pre_delivery_retry_limit: 1,
      retry_requires_no_execution_evidence: true,
      preserve_mutation_idempotency_key: true,
      rewrite_rejected_payload: false,
      copy_prompt_only_when_not_delivered: true,
    },
  };
}

interface Identity {
  continuityId: string;
  sourceUrl: string;
  workChainId: string | null;
  objective: string | null;
  deviceId: string;
}

/**
 * Stable while the same thing is handed over, also when turns were added meanwhile: a repeated preparation then carries
 * the key of the first delivery and cannot make a second conversation.
 */
function defaultId(identity: Identity): string {
  const digest = createHash('sha256')
    .update(canonicalJson(['herdr-mcp/handoff/1', identity]))
    .digest('hex');
  return `hh_${digest.slice(0, 32)}`;
}

function checkedId(id: string): string {
  if (new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${HANDOFF_ID_CHARS_MAX - 1}}$`).test(id)) return id;
  throw new OutcomeError(
    'invalid_params',
    'handoff_id holds other characters than letters, digits and ._:-. Nothing was prepared.',
    {
      next: 'Leave it out, or use a plain id.',
    },
  );
}

function messageOf(parts: Identity & { handoffId: string }): string {
  const { continuityId, deviceId, sourceUrl, workChainId, objective, handoffId } = parts;
  const resume = JSON.stringify({ continuity_id: continuityId });
  const byUrl = JSON.stringify({ conversation_url: sourceUrl });
  return [
    `[${MARK} id=${handoffId} continuity_id=${continuityId}]`,
    'This conversation continues work that was begun in another one.',
    `1. First call herdr_call with device ${JSON.stringify(deviceId)}, method "continuity.resume" and params ${JSON.stringify(resume)}. It gives back what was recorded: that is history, not the present.`,
    '2. Then inspect the live workspace, Git and running tasks (herdr_inspect, herdr_git) before anything is changed. What may have happened already is looked up, not repeated.',
    '3. Then go on with the open work.',
    ...(objective === null ? [] : [`Objective: ${objective}`]),
    `Chain: ${continuityId}${workChainId !== null && PLAIN_NAME.test(workChainId) ? ` (work chain ${workChainId})` : ''}`,
    `Workstation: ${deviceId}`,
    `Previous conversation: ${sourceUrl}`,
    `If only that address is known, continuity.resume with params ${JSON.stringify(byUrl)} leads to the same chain; continuity.search is for the answer continuity_ambiguous only.`,
    `[END_${MARK}]`,
  ].join('\n');
}

/** True when the source belongs to this chain. A source that belongs to another chain is two owners: fail closed. */
function assertSource(journal: Journal, chain: Chain, source: ConversationAddress): boolean {
  const owners = distinct(journal.bindings.ofConversation(source).map((owner) => owner.chain)).filter(
    ({ status }) => status === 'active',
  );
  const others = owners.filter(({ chainNo }) => chainNo !== chain.chainNo);
  if (others.length === 0) return owners.length > 0;
  const claims = distinct([chain, ...owners]).map((claim) => candidate(journal, claim));
  throw ambiguous('source_url belongs to another active chain than continuity_id.', claims, false);
}

/** A project is inherited only at the provider that it belongs to. */
function projectOf(chain: Chain, source: ConversationAddress): string {
  return chain.provider === source.provider ? chain.projectId : '';
}

function workChainOf(chain: Chain, given: string | undefined): string | null {
  const partition = partitionOfChain(chain);
  if (given === undefined) return partition?.workChainId ?? null;
  if (partition?.workChainId === given) return given;
  throw new OutcomeError(
    'work_memory_partition_mismatch',
    `work_chain_id is not the one of ${chain.continuityId}. Nothing was prepared; the source conversation stays as it is.`,
    {
      delivery: 'not_delivered',
      next: 'Leave work_chain_id out, or give the one that the chain has.',
      details: { continuity_id: chain.continuityId, work_chain_id: partition?.workChainId ?? null },
    },
  );
}

/** One line that cannot be taken for the message's own frame. */
function oneLine(objective: string | undefined): string | null {
  const line = (objective ?? '').replace(/[\s\u0000-\u001f\u007f\u2028\u2029]+/gu, ' ').trim();
  if (line.includes(MARK)) {
    throw new OutcomeError(
      'invalid_params',
      `objective holds ${MARK}, which frames the message. Nothing was prepared.`,
      {
        next: 'Say the objective in plain words.',
      },
    );
  }
  return line === '' ? null : line;
}
