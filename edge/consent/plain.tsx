/** @jsxImportSource hono/jsx */
import type { Language } from '../http/index.ts';
import { htmlPage } from './frame.tsx';
import { type SignInProblem, WORDS } from './words.ts';

const STATUS: Record<SignInProblem, number> = {
  too_long: 414,
  unknown_app: 400,
  unreadable_app: 400,
  bad_request: 400,
  too_many_open: 429,
  too_fast: 429,
  misconfigured: 503,
};

/**
 * A sign-in that cannot start and has nowhere safe to send the browser: says why, and redirects nowhere. `detail` is for
 * who builds the app, in English.
 */
export function renderProblem(language: Language, problem: SignInProblem, detail?: string): Response {
  return dead(language, STATUS[problem], WORDS[language].reasons[problem], detail);
}

/** A sign-in that ended while nobody looked: the same address opened again. */
export function renderEnded(language: Language, state: 'locked' | 'expired'): Response {
  return dead(language, state === 'locked' ? 423 : 410, WORDS[language][state]);
}

function dead(language: Language, status: number, reason: string, detail?: string): Response {
  const words = WORDS[language];
  return htmlPage(
    { language, title: words.errorTitle, status },
    <div>
      <h1>{words.errorTitle}</h1>
      <div class="card">
        <p>{reason}</p>
        {detail === undefined ? null : <pre>{detail}</pre>}
        <p>{words.errorNothing}</p>
        <p class="soft">{words.again}</p>
      </div>
    </div>,
  );
}

/** `GET /pair`: what to run on the new workstation. The id stands in the fragment, so this page never sees it. */
export function renderPairPage(language: Language): Response {
  const words = WORDS[language];
  return htmlPage(
    { language, title: words.pairTitle, status: 200 },
    <div>
      <h1>{words.pairTitle}</h1>
      <div class="card">
        <p>{words.pairHint}</p>
        <h2>{words.pairRun}</h2>
        <pre>
          {'herdr-mcp worker connect '}
          <span class="keep">{'"<address>"'}</span>
        </pre>
        <p>{words.pairCode}</p>
      </div>
    </div>,
  );
}
