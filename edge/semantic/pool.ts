import * as Value from 'typebox/value';
import { type SemanticRoute, SemanticRoutes } from '../../contract/semantic/index.ts';

/** `undefined`: none is configured. `invalid`: something is, and it cannot be trusted, so nothing of it is used. */
export type Pool = readonly SemanticRoute[] | undefined | 'invalid';

/** The pool of the secret's text. One wrong member invalidates all: half of a pool would be a surprise. */
export function poolOf(secret: string | undefined): Pool {
  if (secret === undefined || secret.trim() === '') return undefined;
  if (secret === parsedSecret) return parsed;
  parsed = parse(secret);
  parsedSecret = secret;
  return parsed;
}

/** The secret never changes inside an isolate, and it is read for every question. */
let parsedSecret: string | undefined;
let parsed: Pool;

function parse(secret: string): Pool {
  let routes: unknown;
  try {
    routes = JSON.parse(secret);
  } catch {
    return 'invalid';
  }
  if (!Value.Check(SemanticRoutes, routes)) return 'invalid';
  const names = new Set(routes.map(({ name }) => name));
  return names.size === routes.length && routes.every(({ url }) => isPlainHttps(url)) ? routes : 'invalid';
}

function isPlainHttps(address: string): boolean {
  const url = URL.parse(address);
  return (
    url?.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    !address.includes('?') &&
    !address.includes('#')
  );
}
