/** @jsxImportSource hono/jsx */
import type { Language } from '../http/index.ts';
import { htmlPage } from './frame.tsx';
import { WORDS } from './words.ts';

/** A sign-in that cannot go on and has nowhere safe to send the browser: says why, and redirects nowhere. */
export function renderError(language: Language, status: number, reason: string): Response {
  const words = WORDS[language];
  return htmlPage(
    { language, title: words.errorTitle, status },
    <div>
      <h1>{words.errorTitle}</h1>
      <div class="card">
        <p>{reason}</p>
        <p>{words.errorNothing}</p>
        <p class="soft">{words.again}</p>
      </div>
    </div>,
  );
}

/** A sign-in that ended while nobody looked (locked, denied): the same address opened again. */
export function renderEnded(language: Language, state: 'locked' | 'denied' | 'expired'): Response {
  return renderError(language, state === 'locked' ? 423 : 410, WORDS[language][state]);
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
        <pre>{'herdr-mcp worker connect "<address>"'}</pre>
        <p>{words.pairCode}</p>
      </div>
    </div>,
  );
}
