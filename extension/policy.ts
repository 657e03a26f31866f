/**
 * What each site is and what we do there, as data: shared code asks this table and knows no site by name. What is not
 * said here is not done. Pure.
 */
import { SITES, type SiteId } from './page.ts';

export interface SitePolicy {
  /** Where its chats are. */
  origin: string;
  /** `always`: part of every installation. `asked`: only after a person switched it on and gave the one origin. */
  access: 'always' | 'asked';
  /** The bar stands on its pages. */
  hud: boolean;
  /** A conversation may be bound to a workspace, and is then woken. */
  binds: boolean;
  /** At the end of a turn Auto decides whether to go on, and a chat that grew too long is handed over. Elsewhere Auto is progress and settled. */
  judges: boolean;
  /**
   * What a binding of the page before a chat comes to. `tab`: it goes with the tab to the first Project or chat. `born`: only
   * to a chat that is begun there. `nothing`: such a page has no identity, and nothing is bound there.
   */
  launcher: 'tab' | 'born' | 'nothing';
  /** JSON calls in its chats become tool calls. Experimental compatibility: the site itself speaks no MCP. */
  bridge: boolean;
  /**
   * How a person's handoff gets its words. `chain`: from the chain that the workstation has recorded. `summary`: the chat's own
   * model sums it up. `none`: chats are not handed over there.
   */
  handoff: 'chain' | 'summary' | 'none';
  /** What a local agent or a planner may have done there, as the runtime is told. */
  capabilities: readonly string[];
}

/** One whole text message, what becomes of it, and a stop. */
const MESSAGES = ['composer.submit', 'generation.status', 'generation.stop', 'session.inspect'] as const;
/** The same where the pages say who is signed in: without that nothing is done for a local agent or a planner. */
const OF_ACCOUNTS = [...MESSAGES, 'account.inspect'] as const;

export const POLICIES: Readonly<Record<SiteId, SitePolicy>> = {
  chatgpt: {
    origin: 'https://chatgpt.com',
    access: 'always',
    hud: true,
    binds: true,
    judges: true,
    launcher: 'tab',
    bridge: false,
    handoff: 'chain',
    capabilities: [...OF_ACCOUNTS, 'session.create', 'session.open', 'session.archive'],
  },
  claude: {
    origin: 'https://claude.ai',
    access: 'asked',
    hud: false,
    binds: false,
    judges: false,
    launcher: 'nothing',
    bridge: false,
    handoff: 'none',
    capabilities: OF_ACCOUNTS,
  },
  gemini: {
    origin: 'https://gemini.google.com',
    access: 'asked',
    hud: false,
    binds: false,
    judges: false,
    launcher: 'nothing',
    bridge: false,
    handoff: 'none',
    capabilities: OF_ACCOUNTS,
  },
  grok: {
    origin: 'https://grok.com',
    access: 'asked',
    hud: false,
    binds: false,
    judges: false,
    launcher: 'nothing',
    bridge: false,
    handoff: 'none',
    capabilities: OF_ACCOUNTS,
  },
  zai: {
    origin: 'https://chat.z.ai',
    access: 'asked',
    hud: true,
    binds: true,
    judges: false,
    launcher: 'born',
    bridge: true,
    handoff: 'summary',
    capabilities: [...MESSAGES, 'session.create'],
  },
  deepseek: {
    origin: 'https://chat.deepseek.com',
    access: 'asked',
    hud: true,
    binds: true,
    judges: false,
    launcher: 'nothing',
    bridge: true,
    handoff: 'none',
    capabilities: MESSAGES,
  },
};

/** Sites that a person switches on one by one, in the Options. */
export const ASKED_SITES: readonly SiteId[] = SITES.filter((site) => POLICIES[site].access === 'asked');

/** The pages of a site, as the browser's permissions and scripts name them. */
export const pagesOf = (site: SiteId): string => `${POLICIES[site].origin}/*`;

/** Whether we do anything at all on a site. */
export const isOn = (site: SiteId, switchedOn: readonly SiteId[]): boolean =>
  POLICIES[site].access === 'always' || switchedOn.includes(site);
