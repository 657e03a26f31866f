/** The browser's side of a dispatch: it is taken once, under a name, and what its taker saw is judged. */
import type { Static } from 'typebox';
import type { HandoffCommit } from '../../../contract/browser/actuation.ts';
import {
  ACTUATION_PROTOCOL,
  type ActuationCommand,
  type DispatchSettle,
  type Evidence,
  type SignedIn,
} from '../../../contract/browser/actuation.ts';
import type { Operation } from '../../../contract/browser/dispatch.ts';
import type { Principal } from '../../../contract/call.ts';
import { isNamedAccount } from '../naming.ts';
import { sha256 } from './digest.ts';
import { judge, type Verdict } from './judge.ts';
import type { Places } from './place.ts';
import { hasEnded, type Row } from './row.ts';
import type { DispatchStore } from './store.ts';

export interface TakenParts {
  store: DispatchStore;
  places: Places;
  nowMs: () => number;
  changed: () => void;
  settled: () => void;
  /** Gives the open tasks of one conversation to another one; how many there were. */
  moveTasks: (from: string, to: string) => number;
  stillGranted: (principal: Pick<Principal, 'kind' | 'id'>) => boolean;
}

/** What became of a question about an actuation: whose it is, or that it is not (any more). */
type Told = Row | 'none' | 'taken';

/** The last question's answer. `objection`: it was answered yes before, and would not be now. */
interface Asked {
  row: Row;
  objection: string | null;
}

export function openTaken({ store, places, nowMs, changed, settled, moveTasks, stillGranted }: TakenParts) {
  /** Gives the command to one claimant, as often as that one asks. Null: it is somebody else's, or its time is over. */
  function claim(endpointRef: string, actuationId: string, claimant: string): ActuationCommand | 'none' | null {
    const claimed = store.inTransaction((): Row | 'none' | null => {
      const now = nowMs();
      store.expire(now);
      const row = store.byActuation(actuationId);
      if (!row || row.endpointRef !== endpointRef) return 'none';
      if (row.deliveryState !== 'uncertain') return null;
      if (row.claimant === claimant && row.reportedAt === null) return row;
      if (row.claimant !== null) return null;
      return store.change(row.dispatchId, { claimant, claimedAt: now, executionState: 'submitted', updatedAt: now });
    });
    if (claimed === null || claimed === 'none') return claimed;
    changed();
    return commandOf(claimed);
  }

  function commandOf(row: Row): ActuationCommand {
    const session = row.sessionRef === '' ? undefined : places.resource(row.sessionRef);
    const space = row.spaceRef === '' ? undefined : places.resource(row.spaceRef);
    return {
      protocol: ACTUATION_PROTOCOL,
      actuation_id: row.actuationId,
      dispatch_id: row.dispatchId,
      operation: row.operation as Operation,
      provider: row.provider,
      expected_generation: row.expectedGeneration,
      account_ref: isAccountMeant(row) ? row.accountRef : null,
      session: session ? { session_ref: session.resourceRef, canonical_url: session.canonicalUrl ?? '' } : null,
      space: space ? { space_ref: space.resourceRef, canonical_url: space.canonicalUrl ?? '' } : null,
      source_url: row.sourceUrl,
      message: row.message,
    };
  }

  const isAccountMeant = ({ accountRef }: Row): boolean => {
    const account = places.resource(accountRef);
    return account === undefined || isNamedAccount(account);
  };

  /** Why it may not be done any more, now that it could be; null: it may. */
  function objection(row: Row, signedIn: SignedIn): string | null {
    if (isAccountMeant(row) && signedIn !== row.accountRef)
      return signedIn === 'signed_out' || signedIn === 'account_unknown' ? signedIn : 'account_changed';
    const endpoint = places.endpoint(row.endpointRef);
    if (row.consentRevision !== null) {
      if (!endpoint?.webchatControl) return 'consent_withdrawn';
      if (endpoint.consentRevision !== row.consentRevision) return 'consent_changed';
      if (!stillGranted({ kind: row.principalKind as Principal['kind'], id: row.principalId }))
        return 'grant_withdrawn';
    }
    if (row.sourceTurnSha256 !== null && !store.isCurrentTurn(row.sessionRef, row.sourceTurnSha256))
      return 'newer_message';
    const site = places.provider(row.endpointRef, row.provider);
    return site?.observationGeneration === row.expectedGeneration ? null : 'capability_changed';
  }

  /** The claimant's own row, while nothing has been reported of it. */
  function held(endpointRef: string, actuationId: string, claimant: string): Told {
    store.expire(nowMs());
    const row = store.byActuation(actuationId);
    if (!row || row.endpointRef !== endpointRef) return 'none';
    return row.claimant === claimant && row.reportedAt === null ? row : 'taken';
  }

  /**
   * May it begin? What may not be done ends here, certainly undone. Once it was answered yes only the claimant knows whether
   * it has begun: asked again, it is told what stands in the way by now, and the dispatch is left as it is.
   */
  function confirm(
    endpointRef: string,
    actuationId: string,
    claimant: string,
    signedIn: SignedIn,
  ): Asked | 'none' | 'taken' | 'busy' {
    const told = store.inTransaction((): Asked | 'none' | 'taken' | 'busy' => {
      const row = held(endpointRef, actuationId, claimant);
      if (typeof row === 'string') return row;
      if (row.deliveryState !== 'uncertain') return { row, objection: null };
      const now = nowMs();
      const reason = objection(row, signedIn);
      if (row.confirmedAt !== null) return { row, objection: reason };
      if (reason === null) {
        if (row.operation !== 'generation.stop' && store.busy(row, now)) return 'busy';
        const begun = { confirmedAt: now, executionState: 'submitted', reason: null, updatedAt: now };
        return { row: store.change(row.dispatchId, begun), objection: null };
      }
      const rejected = store.change(row.dispatchId, {
        deliveryState: 'rejected',
        executionState: 'failed',
        reason,
        message: null,
        reportedAt: now,
        updatedAt: now,
      });
      return { row: rejected, objection: null };
    });
    if (typeof told !== 'string' && hasEnded(told.row)) settled();
    changed();
    return told;
  }

  /** Nothing was done, and it is not over: whoever waits is told why. */
  function defer(endpointRef: string, actuationId: string, claimant: string, reason: string): Told {
    const told = store.inTransaction((): Told => {
      const row = held(endpointRef, actuationId, claimant);
      if (typeof row === 'string' || row.deliveryState !== 'uncertain' || row.confirmedAt !== null) return row;
      return store.change(row.dispatchId, { executionState: 'queued', reason, updatedAt: nowMs() });
    });
    changed();
    return told;
  }

  /** Judges what was seen. A settled dispatch stays as it is; an uncertain one may still be settled by its own claimant. */
  function report(endpointRef: string, actuationId: string, claimant: string, evidence: Evidence): Told {
    const told = store.inTransaction((): Told => {
      const row = store.byActuation(actuationId);
      if (!row || row.endpointRef !== endpointRef) return 'none';
      if (row.claimant !== claimant) return 'taken';
      if (row.deliveryState !== 'uncertain') return row;
      const now = nowMs();
      const planned = {
        operation: row.operation as Operation,
        expectedGeneration: row.expectedGeneration,
        sessionRef: row.sessionRef,
      };
      const verdict = withinScope(row, evidence, judge(planned, evidence));
      const applied = verdict.delivery === 'applied';
      if (applied && row.operation === 'generation.stop') endAnswer(row, now);
      return store.change(row.dispatchId, {
        message: null,
        deliveryState: verdict.delivery,
        executionState: verdict.execution,
        reason: verdict.reason,
        reportedAt: now,
        updatedAt: now,
        ...(applied && evidence.session_ref !== undefined ? { sessionRef: evidence.session_ref } : {}),
        ...(evidence.canonical_url === undefined ? {} : { canonicalUrl: evidence.canonical_url }),
        ...(!applied || evidence.tab === undefined ? {} : { tabOutcome: evidence.tab }),
        ...(evidence.accepted_message_ref === undefined ? {} : { acceptedMessageRef: evidence.accepted_message_ref }),
      });
    });
    if (typeof told !== 'string' && hasEnded(told)) settled();
    changed();
    return told;
  }

  /** A new chat that is not where it was asked for proves nothing, whoever says that it is. */
  function withinScope(row: Row, evidence: Evidence, verdict: Verdict): Verdict {
    if (verdict.delivery !== 'applied' || row.operation !== 'session.create') return verdict;
    const session = places.resource(evidence.session_ref ?? '');
    const parent = row.spaceRef === '' ? row.accountRef : row.spaceRef;
    const inBrowser = session?.kind === 'session' && session.endpointRef === row.endpointRef;
    // Asked for before anybody was known there, it lies in whichever account the page shows by now.
    const inAnyAccount = row.spaceRef === '' && !isAccountMeant(row);
    const at = inAnyAccount
      ? places.resource(session?.parentRef ?? '')?.kind === 'account'
      : session?.parentRef === parent;
    const fits = inBrowser && at;
    return fits ? verdict : { delivery: 'uncertain', execution: verdict.execution, reason: 'session_out_of_scope' };
  }

  function endAnswer(stop: Row, now: number): void {
    const meant = stop.stopsDispatchId || store.unsettledOf(stop.sessionRef)?.dispatchId;
    if (meant) store.change(meant, { executionState: 'stopped', updatedAt: now });
  }

  /** The message was seen in the new chat by its mark: what was in doubt is proved, and open tasks have a new parent. */
  function commit(given: Static<typeof HandoffCommit>): number | null {
    const moved = store.inTransaction((): number | null => {
      const row = store.find(given.dispatch_id, nowMs());
      const target = places.resource(given.target_session_ref);
      const known = row?.endpointRef === given.endpoint_ref && target?.endpointRef === given.endpoint_ref;
      if (!row || !known || target.kind !== 'session') return null;
      if (row.deliveryState === 'uncertain') {
        store.change(row.dispatchId, {
          deliveryState: 'applied',
          executionState: row.executionState === 'queued' ? 'submitted' : row.executionState,
          sessionRef: target.resourceRef,
          reason: null,
          message: null,
          reportedAt: row.reportedAt ?? nowMs(),
          updatedAt: nowMs(),
          ...(target.canonicalUrl === null ? {} : { canonicalUrl: target.canonicalUrl }),
          ...(given.accepted_user_message_ref === undefined
            ? {}
            : { acceptedMessageRef: given.accepted_user_message_ref }),
        });
      }
      const source = given.source_session_ref === undefined ? undefined : places.resource(given.source_session_ref);
      if (source?.endpointRef !== given.endpoint_ref || source.resourceRef === target.resourceRef) return 0;
      return moveTasks(source.resourceRef, target.resourceRef);
    });
    changed();
    return moved;
  }

  /** The answer to an accepted message. Once: another answer to the same dispatch is a conflict. */
  function settle(given: DispatchSettle): Row | 'none' | 'conflict' {
    const done = store.inTransaction((): { row: Row; fresh: boolean } | 'none' | 'conflict' => {
      const row = store.find(given.dispatch_id, nowMs());
      if (!row || row.endpointRef !== given.endpoint_ref) return 'none';
      const own =
        row.deliveryState === 'applied' &&
        row.acceptedMessageRef === given.accepted_user_message_ref &&
        row.expectedGeneration === given.observed_generation;
      if (!own) return 'conflict';
      if (row.resultMessageRef !== null)
        return row.resultMessageRef === given.assistant_message_ref ? { row, fresh: false } : 'conflict';
      if (row.executionState === 'failed' || (row.executionState === 'stopped' && given.outcome !== 'settled'))
        return { row, fresh: false };
      const now = nowMs();
      const answer = given.outcome === 'settled' && given.assistant_message_ref !== undefined;
      if (given.outcome === 'settled' && !answer) return 'conflict';
      const text = given.text ?? '';
      const row2 = store.change(row.dispatchId, {
        executionState: row.executionState === 'stopped' ? 'stopped' : given.outcome,
        updatedAt: now,
        ...(answer
          ? {
              resultMessageRef: given.assistant_message_ref ?? null,
              resultText: text,
              resultSha256: sha256(text),
              resultAt: now,
            }
          : {}),
      });
      return { row: row2, fresh: true };
    });
    if (typeof done === 'string') return done;
    if (done.fresh) settled();
    changed();
    return done.row;
  }

  return { claim, confirm, defer, report, commit, settle };
}
