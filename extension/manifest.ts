/** The manifest. Permissions are those that the code uses, and a test holds the list: no tabs, debugger or cookies. */
import { EXTENSION_KEY } from '../contract/extension/identity.ts';
import { ASKED_SITES, pagesOf } from './policy.ts';

/** Pages that every installation works on. The others are asked for one by one, when a person switches a site on. */
export const CHAT_SITES = ['https://chatgpt.com/*'] as const;

const PERMISSIONS = ['storage', 'scripting', 'alarms', 'nativeMessaging', 'sidePanel'] as const;

export function manifest(version: string) {
  return {
    name: 'Herdr MCP – Workspace Connector',
    short_name: 'Herdr MCP',
    description: 'Keeps a Web AI conversation connected to the work that goes on in your local Herdr workspaces.',
    version,
    key: EXTENSION_KEY,
    minimum_chrome_version: '120',
    permissions: [...PERMISSIONS],
    host_permissions: [...CHAT_SITES],
    optional_host_permissions: ASKED_SITES.map(pagesOf),
    incognito: 'not_allowed' as const,
    action: { default_title: 'Herdr MCP' },
    content_security_policy: { extension_pages: "script-src 'self'; object-src 'none'" },
  };
}
