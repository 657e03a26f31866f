/** Where a tab that is opened for an act belongs: in the window in which the person works on that. Pure. */
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { type PageIdentity, projectOf } from '../../page.ts';

/** The tab beside which it opens: the chat that it comes from, else one of the same site and Project; null: wherever. */
export function besideTab(
  tabs: Readonly<Record<string, { page: PageIdentity }>>,
  { provider, source_url, space }: Pick<ActuationCommand, 'provider' | 'source_url' | 'space'>,
): number | null {
  const open = Object.entries(tabs);
  const source = open.find(([, { page }]) => source_url !== null && page.conversation === source_url);
  const scope = space === null || space.canonical_url === '' ? null : space.canonical_url;
  const [id] =
    source ?? open.find(([, { page }]) => page.site === provider && (projectOf(page)?.key ?? null) === scope) ?? [];
  return id === undefined ? null : Number(id);
}
