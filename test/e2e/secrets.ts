/**
 * Listens to everything that clients in this process say over HTTP, knows which of it is secret, and looks for it in every
 * place of the product that must not hold it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { processesOf } from './product.ts';

/** By name: secrets of sign-ins are heard, those of the workstation are added by whoever knows them. */
export interface Overheard {
  secrets: Map<string, string>;
  /** Six digits: too short to be looked for in bytes that mean something else. */
  digits: Set<string>;
  urls: string[];
  /** Bodies of answers that have no business with secrets. */
  answers: string[];
  stop(): Promise<void>;
}

export function overhear(): Overheard {
  const real = globalThis.fetch;
  const heard = {
    secrets: new Map<string, string>(),
    digits: new Set<string>(),
    urls: [] as string[],
    answers: [] as string[],
  };
  const reading = new Set<Promise<void>>();
  const keep = (name: string, value: unknown) => {
    if (typeof value === 'string' && value !== '') heard.secrets.set(`${name} ${heard.secrets.size}`, value);
  };
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    heard.urls.push(url.href);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    keep('bearer', /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1]);
    if (url.pathname === '/token') {
      const sent = new URLSearchParams(String(init?.body));
      for (const name of ['code', 'code_verifier', 'refresh_token']) keep(name, sent.get(name));
    }
    const answer = await real(input, init);
    if ((init?.method ?? 'GET') === 'POST' || url.pathname === '/authorize') {
      const read = answer
        .clone()
        .text()
        .then((text) => hear(url, text));
      reading.add(read.catch(() => undefined)); // whoever asked has ended it
    }
    return answer;
  };
  function hear(url: URL, text: string): void {
    if (url.pathname === '/authorize') {
      keep('page token', /data-token="([^"]+)"/.exec(text)?.[1]);
      const code = /class="code"[^>]*>\s*([0-9]{3})\s*([0-9]{3})\s*</.exec(text);
      if (code) heard.digits.add(`${code[1]}${code[2]}`);
    } else if (url.pathname === '/authorize/poll') {
      const { redirect } = JSON.parse(text) as { redirect?: string };
      keep('code', redirect && new URL(redirect).searchParams.get('code'));
    } else if (url.pathname === '/token') {
      const tokens = JSON.parse(text) as Record<string, unknown>;
      for (const name of ['access_token', 'refresh_token']) keep(name, tokens[name]);
    } else if (url.pathname !== '/register') {
      heard.answers.push(text);
    }
  }
  return {
    ...heard,
    async stop() {
      globalThis.fetch = real;
      await Promise.all(reading);
    },
  };
}

/** `name of the secret: where it stands`, for every file of a folder and every process of it. `allowed` names files by ending. */
export function findSecrets(
  { secrets, digits, urls, answers }: Overheard,
  folder: string,
  texts: Readonly<Record<string, string>>,
  allowed: (secret: string, file: string) => boolean,
): string[] {
  const places = [
    ...filesOf(folder).map((path) => ({ at: relative(folder, path), text: readFileSync(path, 'latin1') })),
    ...processTexts(folder),
    ...urls.map((text) => ({ at: 'an address', text })),
    ...answers.map((text) => ({ at: 'an answer', text })),
    ...Object.entries(texts).map(([at, text]) => ({ at, text })),
  ];
  const found = [...secrets].flatMap(([name, secret]) =>
    places.filter(({ at, text }) => text.includes(secret) && !allowed(name, at)).map(({ at }) => `${name}: ${at}`),
  );
  const readable = places.filter(({ at }) => !/\.(db|sqlite)(-|$)|objects/.test(at));
  const typed = [...digits].flatMap((code) =>
    readable.filter(({ text }) => new RegExp(`\\b${code}\\b`).test(text)).map(({ at }) => `six digits: ${at}`),
  );
  return [...new Set([...found, ...typed])];
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'revisions' ? [] : filesOf(path); // copies of our own programs
    return entry.isFile() ? [path] : [];
  });
}

/** Arguments, titles and (on Linux) environments of all that runs. */
function processTexts(folder: string): { at: string; text: string }[] {
  return processesOf(folder).flatMap((line) => {
    const pid = Number.parseInt(line, 10);
    const texts = [{ at: `arguments of ${pid}`, text: line }];
    for (const name of ['environ', 'cmdline', 'comm']) {
      try {
        texts.push({ at: `${name} of ${pid}`, text: readFileSync(`/proc/${pid}/${name}`, 'latin1') });
      } catch {
        // it ended meanwhile, or the system has no such files
      }
    }
    return texts;
  });
}
