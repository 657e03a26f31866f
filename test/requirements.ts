/**
 * The manifest of promises: an id for every promise of the product's documents and of its design. Tests cite ids with
 * `verifies('…')`; a whole run fails for an id that no passed test cites, unless it is listed in {@link OWED}.
 * docs/requirements.md has a row for each, and leads from every behaviour to its place and its test.
 */
export const REQUIREMENTS = {
  // Layout and contract
  'layout.imports':
    'A test holds who may import whom, that nobody reaches past a folder’s door, and that no import circle exists.',
  'contract.epochs-pinned': 'The frozen epochs equal the catalog; a change that a model can see is a new epoch.',
  'contract.plain-schemas': 'Published schemas keep to the plain subset and to the size and name limits of hosts.',
  'contract.annotations': 'Every tool has a title and all hints; read tools are marked read-only.',
  'contract.descriptions-bounded': 'All descriptions together stay under 9,000 characters and tools/list under 24 kB.',
  'contract.derived-epochs':
    'Older epochs are the catalog without later arguments; public ones add device and herdr_devices.',
  'contract.outcome-retryable': 'retryable follows from class and delivery: writes only when not delivered.',
  'contract.outcome-wire':
    'Failures carry code, message, delivery, retryable, next; gate refusals repeat the code as reason.',
  'contract.class': 'herdr_call is a read only for listed methods; everything unknown is a write.',
  'contract.frames': 'Frames are binary-safe and bounded; a mutated frame is a value, never an exception.',
  'contract.refs': 'Device-aware refs carry affinity, not authority, and survive a round trip.',

  // The main job
  'main.demo': 'A real client signs in over OAuth, is approved from the workstation and uses the six tools end to end.',
  'main.demo-two-conversations':
    'A second conversation, of another client with its own sign-in, resumes what the first one left.',
  'main.demo-v1-client': 'The same conversation works with the v1 SDK client.',
  'main.start': 'npm start runs the whole product, already paired, and leaves no process behind.',
  'main.start-refusals':
    'A taken port, a missing Git, a broken state file: one clear sentence and nothing half-started.',
  'main.offline-list':
    'tools/list is answered while the workstation is away; a call then says not_delivered and what to do.',
  'main.not-yet-available': 'What is not built yet is refused by name; nothing pretends success.',

  // Edge: MCP
  'edge.mcp-eras': 'Both protocol eras are served on POST /mcp without sessions; the body decides the era.',
  'edge.mcp-mixed-meta': 'Reserved 2026 _meta keys inside a 2025 request are opaque.',
  'edge.mcp-no-token': 'Without a token every MCP request is 401 with an absolute challenge, link up or down.',
  'edge.mcp-splice': 'A result’s bytes pass the edge unparsed; the lane equals the SDK handler’s answer.',
  'edge.one-block': 'Everything that a caller needs stands in the first block of text of a result.',
  'edge.mcp-bad-input': 'Unknown tool, batch, broken JSON, too large: each a named error, never an exception’s text.',
  'edge.mcp-get-stream': 'GET /mcp stays open with keep-alives and ends with its reader.',
  'edge.devices-tool': 'herdr_devices lists the workstations that the caller may reach.',
  'edge.prompts': 'The skill modules are MCP prompts of both eras, answered by the edge with no workstation connected.',
  'edge.routing':
    'Explicit device, ref, default, only one, else device_ambiguous; never another machine than the first chosen.',
  'edge.origins':
    'The address that each connector, automation client and device uses is known; an old one is retired only when none does.',
  'edge.info': '/health and /info name stage, both contracts and their state.',
  'edge.epoch-arguments': 'An argument the connected runtime lacks is dropped, or the call refused when it is a guard.',
  'edge.caller-session':
    'The host’s conversation mark travels hashed with the connector and cannot be set by arguments.',
  'edge.stages': 'Only a stage other than dev and prod may serve public epoch 3.',
  'edge.pages-access':
    'The pages of the edge pass an accessibility check and fit a phone, in every language, state and scheme.',
  'edge.release-planes':
    'Edge and runtime of neighbouring contracts work together; outside the window both ends say so.',
  'edge.automation': 'Automation clients are bound to one device.',
  'edge.fleet-control': 'Work chains, planner lease and lanes use compare-and-set and fencing.',
  'edge.artifacts': 'Artifacts are optional, typed, bounded and short-lived.',
  'edge.semantic': 'The semantic pool asks the first healthy route in configured order.',
  'edge.continuity-everywhere':
    'A continuity read without device is asked of every workstation; one active chain comes back, several are ambiguous, who was not asked is named.',
  'edge.rebinding': 'An edge on loopback answers under no other name and to no page of another site.',
  'edge.rate-limits': 'Every place that a stranger can reach slows the stranger down, and nobody else.',
  'edge.flat': 'Listing, routing and revoking stay flat with 100 devices and 1,000 connectors.',

  // Edge: OAuth and fleet
  'oauth.discovery': 'Metadata is public at root, path-inserted and aliased places, with CORS and absolute URLs.',
  'oauth.code-flow': 'PKCE S256, audience is the canonical /mcp URL, a foreign redirect is an error page.',
  'oauth.code-replay': 'The same client and verifier get the same answer for 60 s; later reuse revokes.',
  'oauth.refresh-grace': 'A parallel or late refresh gets the same successor for 60 s; later reuse revokes.',
  'oauth.expired-token': 'An expired token is 401 with invalid_token.',
  'oauth.registration-bounds': 'Registration is bounded in size, redirects, rate and number.',
  'oauth.cimd': 'Client metadata documents are fetched with limits, without redirects and private addresses.',
  'oauth.consent': 'The consent page shows who asks, escapes everything, cannot be framed, and goes on by itself.',
  'oauth.approval': 'Approval needs the six-digit code from a paired workstation; five wrong tries lock the request.',
  'oauth.revocation': 'Revoking a connector makes its next call 401; a second account of the app lives on.',
  'fleet.pairing': 'A workstation pairs by address and code, the first by a one-time operator secret.',
  'fleet.device-auth': 'Device tokens are EdDSA, for this origin, 60 s, once; a wrong clock is told the right one.',
  'fleet.device-lifecycle': 'Devices are listed, renamed, paused, suspended, revoked; keys rotate.',

  // Workstation object and link
  'dispatch.at-most-once': 'A write is recorded before it is sent and never sent again when it may have arrived.',
  'dispatch.survives-cut': 'A call whose caller still waits is answered after a socket cut.',
  'dispatch.survives-object-reset': 'The Worker attaches again by dispatch id after an object reset.',
  'dispatch.receipts': 'Receipts are found by id, by key and as the last writes, for 24 h.',
  'dispatch.reads-cost-nothing': 'A read causes no storage write; a write at most three.',
  'link.connect': 'One outbound socket with a device token; reconnects with jittered back-off.',
  'link.close-codes': 'Revoked ends, contract waits, replaced parks, everything else reconnects.',
  'link.liveness': 'Silence and sleep are noticed; connected means that a round trip succeeded.',
  'link.large-results': 'Results up to 16 MiB travel in chunks; one byte more fails that call alone.',
  'link.in-time':
    'A write whose turn does not come in time is withdrawn where it waits: not_delivered, and it never runs.',
  'link.fairness': 'A large result delays a small one by at most one chunk; a full queue says not_delivered.',
  'link.malformed': 'A malformed frame answers a problem and never ends the link.',
  'link.restart': 'A restarted link finds running and finished calls again.',
  'link.outcome-table': 'For every point of interruption: delivery, retryable and the next step.',
  'link.proxy': 'The link works behind a proxy and with a custom CA.',
  'link.call-stream':
    'Calls run side by side on one stream between link and runtime; what was sent, and what certainly was not, is told apart.',
  'link.squatter': 'A port that another process has taken gets neither a token nor a byte of a call.',
  'link.chaos': 'Nothing is doubled and nothing reported wrongly while processes are killed at random.',

  // Runtime core
  'runtime.loopback': 'The loopback port checks Host, Origin and a bearer.',
  'runtime.call-join':
    'A known dispatch id joins the running call or returns its stored result; closing never cancels.',
  'runtime.state': 'state.db opens privately, migrates, and a broken or newer file is refused with one sentence.',
  'runtime.ledger':
    'Every mutating call is recorded before it acts and settled after; after a kill it says interrupted.',
  'runtime.idempotency': 'A key is bound to principal, tool and arguments: repeat, conflict, join.',
  'runtime.audit': 'The audit lists who called what with which outcome, never contents.',
  'runtime.bad-input':
    'Bad arguments, odd names, a vanished root, a rebase or a full disk: a clear error, nothing half-done.',
  'runtime.inspect': 'herdr_inspect is bounded, relevant first, with refs and Git hints.',
  'runtime.since': 'herdr_since continues from a cursor; a restart is visible.',
  'runtime.methods': 'herdr_methods and herdr_call validate before anything is sent; local names are never forwarded.',
  'runtime.prompt': 'A prompt is submitted once; its start is evidence, never assumed; a person’s draft is respected.',
  'runtime.skill': 'herdr_skill explains the workstation from its own files.',
  'runtime.cold-start': 'The runtime is ready quickly and loads heavy parts only when needed.',

  // Roots, gates, files, Git, shell
  'roots.boundary': 'Nothing outside a root is read or written: dot-dot, prefix, symlink, swap between check and use.',
  'roots.operational': 'Non-Git roots are exact, never HOME or its ancestors, read and exec only.',
  'roots.secrets': 'Secret-looking paths are refused; ordinary source files with such words are not.',
  'roots.protected': 'Protected folders are read by the broker only.',
  'roots.protected-exec': 'Commands in a protected folder run in a visible pane and answer as truthfully as elsewhere.',
  'gates.write': 'Read-only mode, write roots, busy and dirty gates hold, each with its confirmation or none.',
  'files.read':
    'fs_read pages whole lines with encoding, line ending and sha256; large and binary files are named errors.',
  'files.list': 'fs_list is bounded and does not follow symlinks.',
  'files.grep': 'fs_grep never reports an empty success when something was skipped.',
  'files.image': 'fs_image shows images and makes previews of large ones.',
  'files.edit': 'Edits change only the matched span; a near miss shows where it differs.',
  'files.patch': 'A patch over many files is all or nothing, also when killed in the middle.',
  'git.reads': 'herdr_git reads status, diff, log, show and blame in every kind of repository without a lock.',
  'exec.output-kept': 'Output is kept on disk and paged on code-point borders, also after a restart.',
  'exec.survives-runtime': 'A running command outlives the runtime that started it, and its exit status is known.',
  'exec.background': 'A command with background children returns at once; survivors of a kill are listed.',
  'exec.environment': 'The login environment is captured once, within a limit, and never hangs.',
  'exec.truth': 'The exit code is called the shell’s; stages of a pipe are given; nothing is cut from the middle.',
  'exec.said-plainly': 'Every text that describes the shell says that it is one, as the user.',
  'exec.timeout': 'A command that takes longer goes on and is followed by its session id.',

  // Herdr
  'herdr.client': 'One request per connection, no half-close, only a refused connection proves non-delivery.',
  'herdr.versions': 'A floor, not equality: full from 0.7.5, read-only from 0.7.2, too old below.',
  'herdr.live': 'The list is the only authority; a restart is survived with the snapshot marked stale.',
  'herdr.busy-unknown': 'While it is unknown whether an agent works, a write is refused until acknowledged.',
  'herdr.push': 'Working and settled are reported once, over a private socket.',
  'embedded.protocol': 'The embedded server speaks Herdr’s wire, checked against Herdr’s own schema.',
  'embedded.pty': 'Real PTYs and screens; keys, paste and signals as Herdr does them.',
  'embedded.agents': 'A script named pi is an agent and its status follows its screen.',
  'embedded.events': 'Subscriptions replay, and follow the dotted and underscored names.',
  'embedded.refusals':
    'Half lines, long lines, vanished panes, foreign sockets: each answered or dropped as Herdr does.',
  'embedded.restart': 'Workspaces with their directories come back; processes do not, and it says so.',
  'embedded.person': 'A person can watch and type with herdr-mcp herdr attach.',
  'herdr.conformance': 'The suite runs unchanged against a real Herdr and writes the compatibility page.',

  // Local plumbing and CLI
  'local.files': 'Files are written atomically and privately; symlinks are refused.',
  'local.lock': 'A lock names its holder and a stale one is taken over.',
  'local.spawn': 'A call settles on exit even when a grandchild holds the pipe.',
  'local.log': 'Logs redact secrets.',
  'e2e.secrets': 'After the whole conversation no secret that was used is anywhere but where it is meant to be.',
  'local.secrets': 'Keys live in the keychain or in a 0600 file.',
  'local.config': 'Unknown configuration keys are refused with a clear sentence.',
  'interop.conformance': 'The official conformance suite holds in both protocol versions wherever it applies.',
  'interop.clients': 'Clients that are not ours go from discovery to revocation by themselves.',
  'cli.harmless': 'Words from elsewhere that a command prints are shown on their line and act on no terminal.',
  'cli.connector': 'herdr-mcp connector lists, inspects, approves with a code, denies and revokes.',
  'cli.worker':
    'herdr-mcp worker pairs, lists, renames, pauses, suspends, restores, revokes; a key rotates whatever cuts in.',
  'cli.automation': 'herdr-mcp automation makes, lists, rotates and ends clients for CI; a secret is shown once.',
  'cli.artifact': 'herdr-mcp artifact puts, fetches and removes files at the edge, whole or not at all.',
  'cli.doctor': 'herdr-mcp doctor checks each thing by itself, from outside too, and names what to do.',
  'cli.dispatch': 'herdr-mcp dispatch list and show find what became of calls.',
  'bench.harness': 'The benchmark prints ours beside its floor, in the same run.',
  'bench.soak': 'A run of mixed load says of each part whether it grew, and names what failed, doubled or was left.',

  // Runtime A/B
  'ab.generations': 'stage, promote, rollback, status and remove end in a right state when killed at any step.',
  'ab.broken-files':
    'A broken state file is put aside and mended from its copy or from what runs; nothing that runs is lost, nothing is guessed.',
  'ab.promotion': 'No call fails or doubles during a promotion.',
  'ab.services': 'Services are installed, updated and rolled back; the watchdog never starts what the user stopped.',
  'ab.cutover': 'A new public address stands beside the old one.',
  'ab.pause': 'pause refuses all calls at once and lists what runs.',

  // Tasks, continuity, browser
  'tasks.lifecycle': 'Agent tasks settle once, from activity that was seen, and survive restarts.',
  'tasks.inbox': 'Terminal results reach the owning parent once; ack only after the wake was delivered.',
  'tasks.advice': 'Scored advice never gates a safe action nor unlocks an unsafe one.',
  'tasks.capabilities': 'Capabilities are evidence; unknown is unverified.',
  'tasks.skills': 'Progressive skills load on demand without a new public tool.',
  'tasks.semantic':
    'Local routes of a private config come before the edge’s pool; order, failover, cooldown and deadlines hold; no key shows.',
  'tasks.projection': 'What a task changed is read from Git, bounded, and the frozen checks are never made fewer.',
  'runtime.stdio': 'herdr-mcp mcp serves the tools over stdio; a call that may have run is never sent again.',
  'runtime.cleanup': 'The cleanup preview deletes nothing, and only an empty list of reasons makes something safe.',
  'runtime.github': 'GitHub is asked by the workstation’s own gh, for reading only, with a fingerprint to wait on.',
  'runtime.home-text': 'Text files outside projects: no link, no secret, a digest that fits, a device that is named.',
  'continuity.journal': 'Finalized turns are appended once, by message id.',
  'continuity.file':
    'A chain goes out as one file, and comes in only whole and within every limit that its entries would have met one by one.',
  'continuity.resume':
    'What is resumed is bounded history, leads back through all of it, and says why something is unknown.',
  'continuity.handoff':
    'One message made of ids alone, byte for byte the same for delivery and for pasting, leads a new chat back to the chain.',
  'continuity.resolve': 'Only one exact identity resumes by itself; everything else is a candidate to confirm.',
  'memory.checkpoints':
    'Checkpoints use compare-and-set and anchors that exist; raw bodies go only after verification.',
  'memory.resume': 'Work Memory gives the verified checkpoint, a bounded tail and evidence, and names what is missing.',
  'extension.binding': 'A browser scope is bound to a workspace; bindings survive labels and rollover.',
  'extension.two-browsers':
    'What two browser profiles would do to one chat by themselves, a wake, a continuation, progress, a handover, one of them does.',
  'extension.wake': 'A settle wakes the right chat exactly once and never overwrites a draft.',
  'extension.progress':
    'Output is looked at often and told only when it is new or the interval is over, also after a restart.',
  'extension.no-secrets':
    'No token, key or secret of the workstation is in the browser, and it may reach chat sites only.',
  'extension.buttons':
    'The bar’s buttons act for a person alone, need a conversation, and are locked while Auto does it.',
  'extension.page-drift':
    'A page of another day is read by what it says; where that fails nothing is taken for an empty chat.',
  'extension.hidden-tab': 'A chat in a tab that nobody looks at is followed and woken all the same, once.',
  'extension.listeners': 'Every listener of the worker stands before it waits for anything.',
  'extension.composing': 'While an input method composes, its words are a draft and its Enter sends nothing.',
  'extension.cards':
    'A permission card of a Herdr tool gets its one-time allow, with Auto on or off; every other is a person’s.',
  'extension.native-host': 'The native host accepts one origin and keeps messages under 512 KiB.',
  'extension.queue': 'The queue survives a stopped service worker.',
  'extension.recovery': 'Recovery is evidence first: unknown delivery is never re-sent.',
  'extension.page-health':
    'A page that fell ill is reloaded once by itself and once by the browser, and never over something of a person.',
  'extension.back-off': 'A site that refuses is left alone for 30, 60, 120 s by everything automatic.',
  'extension.handoff': 'A handoff moves the chain to the new chat, with the source kept on failure.',
  'extension.uat': 'The seven points by which a person accepts continuity with a real task hold, under their names.',
  'extension.asked-sites':
    'A site beyond ChatGPT is off until a person switches it on and gives its one origin; then it does what its adapter can.',
  'extension.judge':
    'At the end of a turn: gates, the typed question, the chat model, the bounded script, each only when the one before is not sure.',
  'extension.goal': 'A goal goes on by its ledger and by guards; the five signals are advice.',
  'extension.pressure': 'How long a chat is never shrinks; it is handed over only where every condition holds.',
  'extension.auto': 'Auto is off by default and never runs two ways at once.',
  'control-center.panel': 'The Side Panel shows live state and acts only on an explicit target.',
  'control-center.languages': 'Three languages have equal keys.',
  'control-center.contrast': 'What stands on what differs by AA in light and dark, computed over the tokens.',
  'control-center.access':
    'Every surface passes an accessibility check, is worked by keyboard, and its texts never overflow.',
  'control-center.options':
    'The Options set what may be set, ask for a site only when it is switched on, and explain the connection.',
  'control-center.first-run':
    'The first run says what is accepted without Auto, notices each step by itself and leaves Auto off.',
  'bridge.json': 'JSON calls in a chat become tool calls once, with consent.',
  'bridge.results': 'Answers of tools are told cleaned and bounded, and are ok only when the tool was.',
  'bridge.said-plainly': 'Bar and Options call the bridge experimental and a native connector the better way.',
  'bridge.ledger':
    'Each call is planned, executing, done, posted, stored before each step; no fault between two repeats a change.',
  'bridge.uat': 'The seven acceptance points of the bridge’s document hold in a real browser.',
  'bridge.bounds':
    'Enabled by site, bound to a conversation, a visible round budget that can be extended, a Stop that stops.',
  'bridge.sites':
    'z.ai and DeepSeek: identity from the address only, one migration from the launcher, folding that breaks nothing.',
  'extension.chat-mode': 'A message of ours goes out in Chat mode, or not at all.',
  'bridge.shown': 'A chat is told to be shown only when its page says that it can be seen.',
  'bridge.turns-proved':
    'Where a site marks no user message, one is a turn only when its words were seen to be sent; what is left out is said.',
  'bridge.local-agents': 'Local agents drive a web chat under the same rules.',
  'bridge.accounts':
    'What was meant for one account of a chat site is done in no other, and where nobody is known it is not done.',
  'bridge.archive':
    'A chat is archived in no turn, under no draft and no doubt, and its site’s server says whether it is.',
  'bridge.archive-self':
    'A chat is archived by its current user message only where one chat has it, and only while it is the newest.',
  'bridge.archive-tab':
    'The tab of an archived chat of a Project is closed once the Project’s home is seen there, never under a draft or a person.',
  'bridge.two-tabs': 'Where two tabs show one chat, nothing is done for a caller in either.',
  'compat.binding': 'Compatibility set: browser bindings.',
  'compat.settle': 'Compatibility set: a settle counts once.',
  'compat.progress': 'Compatibility set: progress without repeats.',
  'compat.stale': 'Compatibility set: stale sources are refused.',
  'compat.native': 'Compatibility set: the border of Native Messaging.',
  'compat.move': 'Compatibility set: handoff and Queue move together.',
  'compat.version': 'Compatibility set: every part of the extension has one version.',
  'dependencies.known':
    'Every dependency is exact, known by its digest and under a known licence, and none runs a script when installed.',
  'docs.true': 'Every command, option, link and picture on a page is there, in both languages.',
  'proof.documented': 'Every promise is measured, attacked and documented.',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** Ids still owed, by the title of the issue that owes them. Closing an issue empties its part. */
export const OWED: Record<string, readonly RequirementId[]> = {};
