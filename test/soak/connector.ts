/** One approved connector that calls tools by plain POST and renews its tokens as a host does. */
import { approveHere } from '../../scripts/demo/index.ts';
import { callOf, headers } from '../bench/full-path.ts';
import { post } from '../bench/post.ts';
import { revokeGrant } from '../interop/flow.ts';
import { earnToken, type Grant } from '../support/access-token.ts';
import type { SoakStage } from './stage.ts';

export type Body = Record<string, unknown>;

export interface Connector {
  /** The JSON inside the result of one call that has to be well. Throws with what was said instead. */
  call(tool: string, args: Record<string, unknown>): Promise<Body>;
  /** The same, also when it is not well. */
  ask(tool: string, args: Record<string, unknown>): Promise<Body>;
  refresh(): Promise<void>;
  revoke(): Promise<void>;
}

export async function openConnector(stage: SoakStage): Promise<Connector> {
  const approve = approveHere(stage.stateDir, () => undefined);
  let grant: Grant = await earnToken(stage.mcpUrl, approve);
  const ask = (tool: string, args: Record<string, unknown>) => bodyOf(stage.mcpUrl, grant.accessToken, tool, args);
  return {
    ask,
    async call(tool, args) {
      const body = await ask(tool, args);
      if (body['ok'] !== true) throw new Error(`${tool} answered ${JSON.stringify(body).slice(0, 300)}`);
      return body;
    },
    async refresh() {
      const answer = await fetch(new URL('/token', stage.mcpUrl), {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: grant.refreshToken,
          client_id: grant.clientId,
        }),
      });
      const tokens = (await answer.json()) as Record<string, string>;
      if (!tokens['access_token'] || !tokens['refresh_token']) throw new Error(`/token: ${JSON.stringify(tokens)}`);
      grant = { ...grant, accessToken: tokens['access_token'], refreshToken: tokens['refresh_token'] };
    },
    revoke: () => revokeGrant(stage.mcpUrl, grant.clientId, grant.refreshToken),
  };
}

async function bodyOf(url: string, token: string, tool: string, args: Record<string, unknown>): Promise<Body> {
  const said = (await post(url, JSON.stringify(callOf(tool, args)), headers(token))).toString('utf8');
  const { result } = JSON.parse(said) as { result?: { content?: { text?: string }[] } };
  const text = result?.content?.[0]?.text;
  if (text === undefined) throw new Error(`${tool}: no tool result: ${said.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}
