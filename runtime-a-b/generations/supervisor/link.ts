/** What the supervisor reads of the link: whether there is anything to connect to, and what it says of itself. */
import { statSync } from 'node:fs';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { readPrivateFile } from '../../../local/files/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import type { View } from './view.ts';

/** The part of `link-status.json` that matters here. */
const LinkSays = Type.Object({
  pid: Type.Integer(),
  state: Type.String(),
  why: Type.String(),
  runtime: Type.Optional(Type.Object({ boot_id: Type.String() })),
});
export type LinkSays = Static<typeof LinkSays>;

/** What the last link process wrote; `undefined` when there is nothing that can be read. */
export async function linkSays(stateDir: string): Promise<LinkSays | undefined> {
  const bytes = await readPrivateFile(statePaths(stateDir).linkStatus);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Value.Check(LinkSays, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A revoked device stays away until it is paired again, which writes `device.json` anew. */
export async function linkWanted(stateDir: string): Promise<View['link']> {
  const { device, linkStatus } = statePaths(stateDir);
  const paired = statSync(device, { throwIfNoEntry: false });
  if (!paired) return 'unpaired';
  const said = statSync(linkStatus, { throwIfNoEntry: false });
  if (!said || said.mtimeMs < paired.mtimeMs) return 'wanted';
  return (await linkSays(stateDir))?.state === 'revoked' ? 'revoked' : 'wanted';
}
