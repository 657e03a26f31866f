import { CORS, NO_STORE } from '../http/index.ts';

/** An answer as data, so that a repeated one is the same to the byte. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export const ANSWER_HEADERS = { 'content-type': 'application/json', ...NO_STORE, ...CORS };

/** An error in the words of RFC 6749 and RFC 7591. */
export function errorAnswer(status: number, error: string, description: string): Answer {
  return { status, headers: ANSWER_HEADERS, body: JSON.stringify({ error, error_description: description }) };
}

/** The 429 of the OAuth endpoints. `waitMs` is in ms. */
export function slowDown(waitMs: number): Answer {
  const answer = errorAnswer(429, 'temporarily_unavailable', 'Too many requests from your address. Try again later.');
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(waitMs / 1000)) } };
}
