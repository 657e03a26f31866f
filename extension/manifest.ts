/** The manifest. Permissions are those that the code uses, and a test holds the list: no tabs, debugger or cookies. */
import { EXTENSION_KEY } from '../contract/extension/identity.ts';

/** Pages that the extension works on. */
export const CHAT_SITES = ['https://chatgpt.com/*'] as const;

export const PERMISSIONS = ['storage', 'scripting', 'alarms', 'nativeMessaging', 'sidePanel'] as const;

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
    incognito: 'not_allowed' as const,
    action: { default_title: 'Herdr MCP' },
    content_security_policy: { extension_pages: "script-src 'self'; object-src 'none'" },
  };
}
