/** The name under which a message to a chat that does not exist yet is kept: the tab and the place where it will begin. Pure. */

const FORM = /^new:(\d+):(.*)$/;

/** `project`: the Project's key; null: the site's own first page. */
export const newChat = (tab: number, project: string | null): string => `new:${tab}:${project ?? ''}`;

export function readNewChat(conversation: string): { tab: number; project: string | null } | null {
  const found = FORM.exec(conversation);
  return found === null ? null : { tab: Number(found[1]), project: found[2] === '' ? null : (found[2] ?? null) };
}
