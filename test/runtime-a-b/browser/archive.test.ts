import { describe, expect, it } from 'vitest';
import { TURN_TTL_MS } from '../../../runtime-a-b/browser/limits.ts';
import { verifies } from '../../verifies.ts';
import { archive, archived, digest, QUEUED, refused, turn } from './archiving.ts';
import {
  act,
  CLI,
  call,
  claim,
  close,
  confirm,
  events,
  NEW,
  now,
  open,
  pass,
  registry,
  signedIn,
  state,
} from './played.ts';

const WORDS = 'Thank you.\nArchive  this chat, please.';

const byWords = (current_user_message: string, more: object = {}, from: object = CLI) =>
  archive({ current_user_message, ...more }, from);

describe('a chat that is to be archived by its current user message', () => {
  it('is found by its newest user turn, however the words are broken; the words are kept nowhere', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    turn(who, who.source, WORDS);
    turn(who, who.session('other', NEW), 'Something else.');
    const asked = await byWords(' Thank you. Archive this\u00a0chat,\r\nplease. ');
    expect(asked).toMatchObject({ ok: false, ...QUEUED, operation: 'session.archive', session_ref: who.source });
    expect(claim(who)).toMatchObject({
      command: { operation: 'session.archive', message: null, session: { session_ref: who.source } },
    });
    expect(confirm(who)).toMatchObject({ confirmed: true });
    expect(archived(who, who.source)).toMatchObject({ dispatch: { delivery_state: 'applied' } });
    const tables = ['browser_source_turns', 'browser_dispatches'];
    const rows = tables.map((name) => state.database.prepare(`SELECT * FROM ${name}`).all());
    expect(JSON.stringify(rows)).not.toMatch(/Thank you|Archive/);
    expect(JSON.stringify(rows)).not.toContain(digest(WORDS));
  });

  it('names it by exactly one of the two, and a ref comes with its generation', async () => {
    const who = signedIn();
    turn(who, who.source, WORDS);
    const both = { session_ref: who.source, expected_generation: who.generation, current_user_message: WORDS };
    for (const params of [
      {},
      { session_ref: who.source },
      both,
      { current_user_message: WORDS, expected_generation: who.generation },
      { current_user_message: ' \n\u00a0' },
    ])
      expect(await archive(params), JSON.stringify(params)).toMatchObject(refused('invalid_params'));
    expect(events).toEqual([]);
  });

  it('is refused where no chat has that message as its newest: an older one, another one, one a day old', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    turn(who, who.source, WORDS);
    pass(1);
    turn(who, who.source, 'No, wait.');
    // The extension tells the older one late: it overwrites nothing.
    const late = { session_ref: who.source, expected_generation: who.generation, turn_id: WORDS };
    registry('source_turn.observe', {
      ...late,
      user_text_sha256: digest(WORDS),
      in_progress: true,
      started_at: now - 1,
      observed_at: now,
    });
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    expect(await byWords('No, wait')).toMatchObject(refused('browser_resource_not_found'));
    pass(1);
    turn(who, who.source, WORDS, { id: 'again', ended: true });
    pass(TURN_TTL_MS + 1);
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    expect(events).toEqual([]);
  });

  it('of two chats with the same words neither is chosen, unless one is archived or the call is proved to come from one', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    const other = who.session('other', NEW);
    turn(who, who.source, WORDS, { ended: true });
    pass(10);
    turn(who, other, WORDS);
    expect(await byWords(WORDS)).toMatchObject({
      ...refused('browser_resource_ambiguous'),
      candidates: [who.source, other].sort(),
    });
    // A connector that marks its conversations, calling while only the second chat's turn goes on: it is that one.
    const connector = { kind: 'connector' as const, id: 'conn_1' };
    const from = { principal: connector, door: 'link', callerSession: 'mark' };
    expect(await byWords(WORDS, {}, from)).toMatchObject(refused('caller_grant_missing'));
    await call('browser_grant.put', { connector_id: connector.id });
    expect(await byWords(WORDS, {}, from)).toMatchObject({ ...QUEUED, session_ref: other });
    claim(who);
    confirm(who);
    archived(who, other);
    // What is archived is not asked for once more.
    expect(await byWords(WORDS, { idempotency_key: 'k2' })).toMatchObject({ ...QUEUED, session_ref: who.source });
  });

  it('a caller that is proved to be another chat archives only its own', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    const other = who.session('other', NEW);
    turn(who, who.source, WORDS, { ended: true });
    pass(10);
    turn(who, other, 'What is the weather?');
    pass(10);
    const connector = { kind: 'connector' as const, id: 'conn_1' };
    await call('browser_grant.put', { connector_id: connector.id });
    const from = { principal: connector, door: 'link', callerSession: 'mark' };
    expect(await byWords(WORDS, {}, from)).toMatchObject(refused('browser_resource_scope_mismatch'));
    expect(events).toEqual([]);
  });

  it('one chat in two browsers is the one that told of it last; told in the same moment it is nobody’s', async () => {
    const [a, b] = [signedIn('a'), signedIn('b')];
    turn(a, a.source, WORDS);
    turn(b, b.source, WORDS);
    expect(await byWords(WORDS)).toMatchObject({
      ...refused('browser_canonical_url_ambiguous'),
      candidates: [a.source, b.source].sort(),
    });
    pass(1);
    turn(b, b.source, WORDS);
    expect(await byWords(WORDS)).toMatchObject({ ...QUEUED, session_ref: b.source, endpoint_ref: b.endpoint });
    // A browser that has seen the chat go on knows better than one that has not.
    pass(1);
    turn(a, a.source, 'Go on.');
    expect(await byWords(WORDS, { idempotency_key: 'k2' })).toMatchObject(refused('browser_resource_not_found'));
  });

  it('is bound to the generation under which its turn was seen, to consent, and to what the browser can do', async () => {
    verifies('bridge.archive-self');
    const who = signedIn('a', { consent: false });
    turn(who, who.source, WORDS);
    expect(await byWords(WORDS)).toMatchObject(refused('webchat_control_not_allowed'));
    registry('endpoint.consent', {
      endpoint_ref: who.endpoint,
      expected_revision: 1,
      consent: { webchat_control: true, tool_bridge: false, tool_bridge_workstation_mutation: false },
    });
    pass(1);
    const observed = registry('provider.observe', {
      endpoint_ref: who.endpoint,
      provider: 'chatgpt',
      adapter_protocol_version: 2,
      capabilities: ['composer.submit'],
    });
    expect(await byWords(WORDS)).toMatchObject(refused('stale_capability_generation'));
    turn({ ...who, generation: Number(observed.observation_generation) }, who.source, WORDS);
    expect(await byWords(WORDS)).toMatchObject(refused('unsupported'));
    expect(events).toEqual([]);
  });

  it('the same key is looked up, also when the chat has gone on since; other words under it are a conflict', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    turn(who, who.source, WORDS);
    const first = await byWords(WORDS);
    claim(who);
    confirm(who);
    pass(1);
    turn(who, who.source, 'And now?');
    await close();
    open();
    expect(await byWords(WORDS)).toMatchObject({ dispatch_id: first.dispatch_id, replayed: true });
    expect(await byWords('And now?')).toMatchObject({ ...refused('idempotency_key_conflict') });
    archived(who, who.source);
    expect(await byWords(WORDS)).toMatchObject({ ok: true, dispatch_id: first.dispatch_id, replayed: true });
    expect(events).toHaveLength(1);
  });

  it('is not archived any more when a newer message was sent there before it began', async () => {
    verifies('bridge.archive-self');
    const who = signedIn();
    turn(who, who.source, WORDS);
    const { dispatch_id } = await byWords(WORDS);
    claim(who);
    pass(1);
    turn(who, who.source, 'No, wait.');
    expect(confirm(who)).toMatchObject({
      ok: true,
      confirmed: false,
      dispatch: { dispatch_id, delivery_state: 'rejected', reason: 'newer_message' },
    });
    // Certainly not done; under the same key it is done only when it is the chat's current message again.
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    expect(events).toHaveLength(1);
    // By its ref a chat is meant whatever was said in it since.
    pass(1);
    const byRef = { session_ref: who.source, expected_generation: who.generation, idempotency_key: 'by-ref' };
    expect(await archive(byRef)).toMatchObject(QUEUED);
    claim(who);
    pass(1);
    turn(who, who.source, 'Hello?');
    expect(confirm(who)).toMatchObject({ confirmed: true });
  });

  it('an extension, or a generation, that tells no words leaves nothing to find the chat by', async () => {
    const who = signedIn();
    turn(who, who.source, WORDS);
    pass(1);
    // An older generation writes what it knows of a newer turn beside what this one wrote.
    state.database.prepare("UPDATE browser_source_turns SET turn_sha256 = 'another', started_at = ?").run(now);
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    pass(1);
    registry('source_turn.observe', {
      session_ref: who.source,
      expected_generation: who.generation,
      turn_id: 'untold',
      in_progress: true,
      started_at: now,
      observed_at: now,
    });
    expect(await byWords(WORDS)).toMatchObject(refused('browser_resource_not_found'));
    expect(act('actuation.pending', { endpoint_ref: who.endpoint })).toEqual({ ok: true, waiting: [] });
  });
});
