/**
 * Every rule that the product's documents give to the planner, and the words by which the served text teaches it. The
 * names are the documents': continuity (C), architecture (A), JSON bridge (B).
 */
export const RULES: readonly (readonly [rule: string, ...words: RegExp[]])[] = [
  // A: the web model is the planner
  [
    'A: the planner decides what to look at next and what is certain enough to do directly',
    /You decide what to look at next, what is certain enough to do directly/,
  ],
  ['A: it decides what is worth independent local reasoning', /what is worth an agent's own reasoning/],
  [
    'A: it decides whether a result is complete, and what follows from tests, failures and reviews',
    /whether a result is complete, and what follows from a test, a failure or a review/,
  ],
  [
    'A: agents are workers, not a second planner',
    /Agents are workers, not a second planner/,
    /A worker does not hire workers/,
  ],
  [
    'A: "show me the diff" and "run the tests" waste no agent call',
    /"Show me the diff" is one call, not a task for an agent/,
    /Running the tests is your call, not a task for an agent/,
  ],
  [
    'A: delegate one narrow task only if useful',
    /Delegate one narrow task when it gains from independent reasoning, and only then/,
  ],
  [
    'A: the usual round',
    /inspect, read Git and the files that matter, change directly what is certain, delegate one narrow task if that helps, run the checks, read herdr_since and Git, review, commit/,
  ],
  [
    'A: short commands, long commands',
    /Short: herdr_exec waits/,
    /Long .*herdr_exec_start returns a session_id at once; herdr_exec_read/,
  ],
  ['A: the long tail through herdr_methods and herdr_call', /herdr_methods finds everything else .*herdr_call does it/],
  ['A: shell is no sandbox', /It is no sandbox/],
  [
    'A: a root without Git has no Git facts and no mutation',
    /operational_root_mutation_unsupported/,
    /has no Git facts, not even clean ones/,
  ],
  ['A: idempotency keys where there are some', /idempotency_key/],
  [
    'A: an uncertain mutation is examined again before anything is repeated',
    /delivery unknown means: look it up with herdr_mcp\.dispatch\.status or look at the thing itself/,
  ],
  [
    'A: dispatched work is not dispatched anew because a generation changed',
    /the runtime was replaced .*goes on and is not dispatched anew/,
  ],
  [
    'A: a control plane failure is no project failure; narrower evidence',
    /What cannot be seen now is not broken/,
    /workspace\.list, pane\.list, agent\.list, herdr_git, the project's own files/,
  ],
  [
    "A: Git is the source of truth, an agent's prose is no evidence",
    /an agent's own words are reasons to look, not evidence of completion/,
    /herdr_git is the truth/,
  ],
  ['A: a product name proves no capability', /a product's name says nothing about editing, vision, reasoning or model/],
  [
    'A: unknown is unverified, neither false nor probably',
    /What was not verified is neither no nor probably yes/,
    /unverified is neither yes nor no/,
  ],
  ['A: herdr-mcp scan builds the evidence', /herdr-mcp scan/],
  [
    'A: submit once, then go on with other work',
    /herdr_prompt submits once and returns task_id, dispatch_id and turn_id at once/,
    /Then go on with other work, or end the turn/,
  ],
  [
    "A: no waiting for an agent's global state; an older turn settles first",
    /Do not wait for the agent's global state: one that was already working finishes its older turn first/,
  ],
  ['A: turn_id is an envelope', /exact_native_turn false/],
  ['A: inbox with advisory true is where to look', /herdr_mcp\.agent\.task\.inbox with advisory true/],
  ['A: verify_completion goes to deterministic checks', /verify_completion: read what changed and run the checks/],
  ['A: continue_unobserved leaves the sibling alone', /continue_unobserved: leave it running/],
  [
    'A: human, blocker and drift only say where to look',
    /needs_human, blocked_external, investigate_drift: where to look next, nothing more/,
  ],
  [
    'A: validation advice only orders frozen checks',
    /validation\.advise may reorder the frozen checks; all of them are run all the same/,
  ],
  ['A: closeout comes after validation', /closeout\.advise .*comes after validation and replaces none of it/],
  [
    'A: cleanup advice changes neither safe_to_delete nor the right to delete',
    /advice changes neither it nor who may delete/,
  ],
  ['A: without advice everything works', /everything works without it/],
  ['A: several devices: the ref names it, nothing is guessed', /With several machines, name the device/],
  // C: continuity
  [
    'C: resolve and search before asking for an id',
    /call continuity\.resolve, then continuity\.search, before asking the person for any id/,
    /The person is not asked for internal ids/,
  ],
  [
    'C: "continue" is a trigger, no evidence of which',
    /Such words are a reason to search and no evidence of which work is meant/,
  ],
  [
    'C: automatic resume only for exactly one chain of a stable identity',
    /exactly one active chain follows from a stable conversation, project or workspace/,
  ],
  [
    'C: a text match needs confirmation, also a single one',
    /A match of words alone needs the person's confirmation, also when there is only one candidate/,
  ],
  [
    'C: ambiguous: show title, workspace, time, recent turns',
    /show the person title, workspace, time of the last change and the recent turns/,
  ],
  ['C: never the newest or most similar', /Neither the newest nor the most similar one is taken/],
  [
    'C: with only an address: continuity.resume with conversation_url',
    /call continuity\.resume with it as conversation_url/,
  ],
  ['C: search only after continuity_ambiguous then', /only when the answer is continuity_ambiguous/],
  [
    'C: what was never journaled cannot be read from an address',
    /What was never recorded here cannot be read from an address/,
  ],
  [
    'C: look at live state again before the first mutation',
    /Look again at Herdr, Git and the services concerned before the first change/,
    /is history until Herdr and Git say the same/,
  ],
  [
    'C: checkpoints by compare-and-set with anchors that exist',
    /work_memory\.checkpoint\.put, on the revision that you read, anchored in turns or evidence that exist/,
  ],
  [
    'C: what a packet keeps',
    /goal, what is done, decisions and their reasons, what is open, the identifiers of workspace, path, branch, commit and task, constraints, the next step/,
  ],
  [
    'C: handoff prepares one message, delivered unchanged',
    /browser_handoff\.prepare/,
    /Send what it returns unchanged, once/,
  ],
  [
    'C: the copy prompt only when delivery certainly did not happen',
    /copy prompt is for the case that delivery certainly did not happen/,
  ],
  [
    'C: uncertain delivery: look at that dispatch, no second chat',
    /while delivery is uncertain, look at that same dispatch/,
  ],
  ['C: the new conversation resumes first', /The new conversation begins with continuity\.resume of the same id/],
  [
    'C: the old one stays valid until the new one is confirmed',
    /The old one stays the valid one until the new one is confirmed/,
  ],
  ['C: no handoff while an agent works', /with no agent working in the workspace and no delivery open/],
  [
    "C: a wake means: read live state, the agent's result and diff",
    /A wake tells you that something settled\. Read live Herdr and Git, look at the agent's result and its diff/,
  ],
  [
    'C: integrate isolated work by review, cherry-pick or merge',
    /integrate finished isolated work by review and cherry-pick or merge where that is wanted/,
  ],
  ["C: run that task's acceptance checks", /run that task's acceptance checks/],
  ['C: blocked, failed, timed out is work to diagnose', /blocked, failed and uncertain are work to diagnose/],
  ['C: a settle is no proof of acceptance', /completed is a state of the agent, not of the work/],
  [
    'C: the workspace is the unit, labels are for reading',
    /A workspace is the unit of work/,
    /Ids identify; labels and titles are for reading/,
  ],
  [
    'C: a reload or retry never repeats a mutation',
    /A reload, a reconnect or a new conversation is no reason to repeat/,
  ],
  // B: the tool loop
  [
    'B: independent calls together, dependent ones in order',
    /Independent reads may go out together; what depends on an answer waits for it/,
  ],
  ['B: success only after the real result', /A call has succeeded when its real result has come back/],
  ["B: the runtime's gates are the authority", /The gates of the workstation and its owner decide/],
];
