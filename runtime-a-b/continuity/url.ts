/**
 * Which conversation an address means: an exact reading, never a likeness. Pure.
 *
 * What counts is the site, the conversation's id and, where the address names one, the project. Query, fragment, the
 * readable part behind a project's id and the case of scheme, host and hex ids are not identity; an address of another
 * site, another port or another kind of page is refused with its reason.
 */

/** Longest address that is read, in characters (reference: runtime 8). */
export const URL_CHARS_MAX = 2_048;

export interface ConversationAddress {
  provider: string;
  conversationId: string;
  /** Empty when the address names none. */
  projectId: string;
  /** The shortest address of the same conversation; equal for equal conversations. */
  canonicalUrl: string;
  /** The address as it was given, without query and fragment: what a person opens. */
  plainUrl: string;
}

export type UrlRefusal = 'too_long' | 'not_a_url' | 'not_https' | 'other_site' | 'not_a_conversation';
export type UrlReading = { ok: true; address: ConversationAddress } | { ok: false; reason: UrlRefusal };

interface Found {
  id: string;
  /** Empty when the address names none. */
  project: string;
}

interface Site {
  provider: string;
  hosts: readonly string[];
  /** `words` are the path's segments. */
  read(words: readonly string[], query: URLSearchParams): Found | null;
  /** The canonical path of what {@link read} found. */
  path(found: Found): string;
}

/** Ids of chat sites: letters, digits, `-` and `_`; shorter ones are words of the site's own pages. */
const ID = /^[A-Za-z0-9_-]{8,128}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Gemini has two kinds of conversations under one host. */
const SPARK = 'spark:';

const SITES: readonly Site[] = [
  {
    provider: 'chatgpt',
    hosts: ['chatgpt.com', 'www.chatgpt.com', 'chat.openai.com'],
    read(words) {
      if (words.length === 2 && is(words[0], 'c')) return named(words[1]);
      if (words.length !== 4 || !is(words[0], 'g') || !is(words[2], 'c')) return null;
      const project = projectIdOf(words[1] ?? '');
      if (project !== null) return named(words[3], project);
      // A conversation with a custom GPT (`g-<id>`) belongs to no project.
      return /^g-(?!p-)[A-Za-z0-9]+/i.test(words[1] ?? '') ? named(words[3]) : null;
    },
    path: ({ id, project }) => (project === '' ? `/c/${id}` : `/g/${project}/c/${id}`),
  },
  {
    provider: 'claude',
    hosts: ['claude.ai', 'www.claude.ai'],
    read: (words) => (words.length === 2 && is(words[0], 'chat') ? uuid(words[1]) : null),
    path: ({ id }) => `/chat/${id}`,
  },
  {
    provider: 'zai',
    hosts: ['chat.z.ai'],
    read: (words) => (words.length === 2 && is(words[0], 'c') ? named(words[1]) : null),
    path: ({ id }) => `/c/${id}`,
  },
  {
    provider: 'deepseek',
    hosts: ['chat.deepseek.com'],
    read: (words) =>
      words.length === 4 && is(words[0], 'a') && is(words[1], 'chat') && is(words[2], 's') ? named(words[3]) : null,
    path: ({ id }) => `/a/chat/s/${id}`,
  },
  {
    provider: 'gemini',
    hosts: ['gemini.google.com'],
    read(words) {
      const rest = is(words[0], 'u') && /^\d{1,2}$/.test(words[1] ?? '') ? words.slice(2) : words;
      if (rest.length === 2 && is(rest[0], 'app')) return named(rest[1]);
      if (rest.length !== 3 || !is(rest[0], 'spark') || !is(rest[1], 'chat')) return null;
      const found = named(rest[2]);
      return found && { ...found, id: SPARK + found.id };
    },
    path: ({ id }) => (id.startsWith(SPARK) ? `/spark/chat/${id.slice(SPARK.length)}` : `/app/${id}`),
  },
  {
    provider: 'grok',
    hosts: ['grok.com', 'www.grok.com'],
    read(words, query) {
      if (words.length === 2 && is(words[0], 'c')) return uuid(words[1]);
      // Here alone the query names the conversation; more than one `chat` names none.
      const chats = query.getAll('chat');
      if (words.length !== 2 || !is(words[0], 'project') || chats.length !== 1) return null;
      return UUID.test(words[1] ?? '') ? uuid(chats[0], (words[1] ?? '').toLowerCase()) : null;
    },
    path: ({ id, project }) => (project === '' ? `/c/${id}` : `/project/${project}?chat=${id}`),
  },
];

/** Reads an address. Never throws. */
export function readConversationUrl(text: string): UrlReading {
  const trimmed = text.trim();
  if (trimmed.length > URL_CHARS_MAX) return { ok: false, reason: 'too_long' };
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null) return { ok: false, reason: 'not_a_url' };
  if (url.protocol !== 'https:') {
    return { ok: false, reason: url.protocol === 'http:' ? 'not_https' : 'not_a_url' };
  }
  const site = SITES.find(({ hosts }) => hosts.includes(url.hostname));
  if (!site || url.port !== '' || url.username !== '' || url.password !== '') {
    return { ok: false, reason: 'other_site' };
  }
  const words = segments(url.pathname);
  const found = words && site.read(words, url.searchParams);
  if (!found) return { ok: false, reason: 'not_a_conversation' };
  const canonicalUrl = `https://${site.hosts[0]}${site.path(found)}`;
  return {
    ok: true,
    address: {
      provider: site.provider,
      conversationId: found.id,
      projectId: found.project,
      canonicalUrl,
      plainUrl: canonicalUrl.includes('?') ? canonicalUrl : `https://${url.hostname}${url.pathname}`,
    },
  };
}

/** The canonical address of a conversation that is known by its ids; null when they make none. */
export function conversationUrl(provider: string, conversationId: string, projectId: string): string | null {
  const site = SITES.find((candidate) => candidate.provider === provider);
  if (!site) return null;
  const reading = readConversationUrl(
    `https://${site.hosts[0]}${site.path({ id: conversationId, project: projectId })}`,
  );
  return reading.ok && reading.address.conversationId === normalId(conversationId)
    ? reading.address.canonicalUrl
    : null;
}

/** Providers whose addresses can be read. */
export const PROVIDERS: readonly string[] = SITES.map(({ provider }) => provider);

/** Sites whose addresses can be read, for an error's text. */
export const SITE_NAMES: readonly string[] = SITES.map(({ hosts }) => hosts[0] ?? '');

/** A ChatGPT Project's id without its readable part, or null when the text is none. */
export function projectIdOf(text: string): string | null {
  const match = /^(g-p-[0-9a-f]{32})(?:-.*)?$/i.exec(text);
  return match?.[1]?.toLowerCase() ?? null;
}

/** The shortest address of a Project's home; null where the site has none that can be read. */
export function projectUrl(provider: string, text: string): string | null {
  const site = SITES.find((candidate) => candidate.provider === provider);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (provider !== 'chatgpt' || !site || url === null || url.protocol !== 'https:') return null;
  if (!site.hosts.includes(url.hostname) || url.port !== '' || url.username !== '') return null;
  const [g, name, home] = url.pathname.split('/').slice(1);
  const id = g === 'g' && (home === undefined || home === '' || home === 'project') ? projectIdOf(name ?? '') : null;
  return id === null ? null : `https://${site.hosts[0]}/g/${id}`;
}

/** Ids that are UUIDs are hex, so their case says nothing; every other id is taken letter by letter. */
export function normalId(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

const is = (word: string | undefined, name: string): boolean => word?.toLowerCase() === name;

function named(word: string | undefined, project = ''): Found | null {
  return word !== undefined && ID.test(word) ? { id: normalId(word), project } : null;
}

function uuid(word: string | undefined, project = ''): Found | null {
  return word !== undefined && UUID.test(word) ? named(word, project) : null;
}

/** The path's words; one slash at the end is none. Null when a word is empty or is not what it seems. */
function segments(path: string): string[] | null {
  const words = path.replace(/\/$/, '').split('/').slice(1);
  const decoded: string[] = [];
  for (const word of words) {
    try {
      decoded.push(decodeURIComponent(word));
    } catch {
      return null;
    }
  }
  return decoded.every((word) => word !== '' && !word.includes('/')) ? decoded : null;
}
