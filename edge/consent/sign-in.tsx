/** @jsxImportSource hono/jsx */
import type { App } from '../../contract/fleet/index.ts';
import { type Language, POLL_MS } from '../http/index.ts';
import { htmlPage } from './frame.tsx';
import { SCRIPT } from './script.ts';
import { WORDS, type Words } from './words.ts';

/** What the sign-in page shows. Every string of `app` and `scopes` may come from a stranger. */
export interface SignIn {
  requestId: string;
  code: string;
  pageToken: string;
  app: App;
  /** The redirect goes to a program on the visitor's own computer. */
  loopback: boolean;
  scopes: readonly string[];
  expiresAtMs: number;
}

/** The sign-in page: who asks, what it gets, where it goes, the code, the one command; it polls and goes on by itself. */
export function renderSignIn(language: Language, view: SignIn): Response {
  const words = WORDS[language];
  return htmlPage(
    {
      language,
      title: words.signInTitle,
      status: 200,
      script: SCRIPT,
      refreshS: (2 * POLL_MS) / 1000,
    },
    <div
      id="request"
      data-request={view.requestId}
      data-token={view.pageToken}
      data-expires={String(view.expiresAtMs)}
      data-every={String(POLL_MS)}
    >
      <h1>{words.asks.replace('{app}', () => view.app.name)}</h1>
      <div class="card">
        <Who words={words} view={view} />
        <h2>{words.goesTo}</h2>
        <p>
          <strong>{view.app.redirect_host}</strong>
        </p>
        {view.loopback ? <p class="warn">{words.loopback}</p> : null}
        <h2>{words.gets}</h2>
        <ul>
          {view.scopes.map((scope) => (
            <li>{words.scopes[scope] ?? `${words.otherScope}: ${scope}`}</li>
          ))}
        </ul>
      </div>
      <div class="card" data-state="pending">
        <h2>{words.runTitle}</h2>
        <pre>herdr-mcp connector approve</pre>
        <p class="soft">{words.runHint}</p>
        <h2>{words.codeTitle}</h2>
        <p class="code">{view.code}</p>
        <p class="soft">{words.codeHint}</p>
        <p class="soft">
          {words.requestId}: {view.requestId}
        </p>
        <p>{words.waiting}</p>
        <p class="soft" id="minutes" data-text={words.expiresIn} />
        <button type="button" id="cancel">
          {words.cancel}
        </button>
      </div>
      <div class="card" data-state="approved" hidden>
        <p class="good">{words.going}</p>
        <button type="button" class="go-on" hidden>
          {words.goOn}
        </button>
      </div>
      <div class="card" data-state="denied" hidden>
        <p>{words.denied}</p>
        <button type="button" class="go-on" hidden>
          {words.goOn}
        </button>
      </div>
      {(['expired', 'locked'] as const).map((state) => (
        <div class="card" data-state={state} hidden>
          <p>{words[state]}</p>
          <p>{words.again}</p>
        </div>
      ))}
    </div>,
  );
}

function Who({ words, view }: { words: Words; view: SignIn }) {
  if (view.app.verified_domain !== undefined) {
    return (
      <div>
        <h2>{words.verified}</h2>
        <p class="good">{view.app.verified_domain}</p>
      </div>
    );
  }
  return (
    <p class="warn">
      <strong>{words.unverified}</strong>
      <br />
      {words.unverifiedWhy}
    </p>
  );
}
