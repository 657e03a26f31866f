/** What web AIs meet: the edge, its clock, and whether something in front of it keeps them out. */
import { DeviceList } from '../../contract/fleet/index.ts';
import { openIdentity } from '../../link/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { openEdge } from '../edge/index.ts';
import type { Check } from './check.ts';
import { type Answer, askAs } from './probe.ts';

/** Above this a device token comes close to the edge's leeway, in seconds. */
const CLOCK_S_MAX = 5;

/** How the two large hosts introduce themselves when they call a connector. */
export const HOSTS = {
  ChatGPT: 'openai-mcp/1.0.0',
  Claude: 'Claude-User',
} as const;

export const PUBLIC: readonly Check[] = [
  {
    name: 'pairing',
    after: ['state folder'],
    look: async (env) => {
      const { device } = await openIdentity(resolveStateDir(env));
      return `${device.name} (${device.device_id}) with ${device.edge_origin}`;
    },
  },
  {
    name: 'edge',
    after: ['pairing'],
    look: async (env) => {
      const edge = await openEdge(env);
      const request = { method: 'GET', path: '/devices' } as const;
      const { devices } = await edge.call(DeviceList, request, 'The edge refused');
      return `${edge.origin} knows this device, one of ${devices.length}`;
    },
  },
  {
    name: 'clock',
    after: ['edge'],
    look: async (env) => {
      const edge = await openEdge(env);
      const request = { method: 'GET', path: '/devices' } as const;
      const askedMs = Date.now();
      const { observed_at_ms } = await edge.call(DeviceList, request, 'The edge refused');
      const skew = Math.round(skewMs(observed_at_ms, askedMs, Date.now()) / 1000);
      if (Math.abs(skew) <= CLOCK_S_MAX) return 'agrees with the edge';
      throw new LocalError(
        'clock_wrong',
        `This machine’s clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}; the link corrects for it, other programs do not.`,
        process.platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true',
      );
    },
  },
  ...Object.entries(HOSTS).map(([host, userAgent]) => ({
    name: `public path as ${host}`,
    after: ['pairing'],
    look: async (env: NodeJS.ProcessEnv) => {
      const { device } = await openIdentity(resolveStateDir(env));
      const metadata = new URL('/.well-known/oauth-protected-resource/mcp', device.edge_origin);
      const answers = [
        await askAs(userAgent, 'GET', metadata, env),
        await askAs(userAgent, 'POST', new URL('/mcp', device.edge_origin), env),
      ];
      const wrong = answers
        .map((answer, index) => troubleOf(answer, index === 0 ? 200 : 401))
        .find((one) => one !== undefined);
      if (wrong === undefined) return `${device.mcp_url} answers ${userAgent} as it should`;
      throw wrong.blocked
        ? new LocalError(
            'bots_blocked',
            `Something before ${device.edge_origin} keeps ${host} (${userAgent}) out: ${wrong.why}.`,
            'In the Cloudflare dashboard of that zone: Security → Bots → "Block AI bots" off, and AI Crawl Control → allow this crawler.',
          )
        : new LocalError(
            'public_path',
            `${device.edge_origin} answers ${userAgent} wrongly: ${wrong.why}.`,
            'herdr-mcp status',
          );
    },
  })),
];

/**
 * How far this machine's clock is ahead of the edge's, in ms, negative when behind: what is certain of it. The edge looked at
 * its clock at some moment between the question and the answer, and an answer may take seconds. Pure.
 */
export function skewMs(edgeMs: number, askedMs: number, answeredMs: number): number {
  if (edgeMs < askedMs) return askedMs - edgeMs;
  return edgeMs > answeredMs ? answeredMs - edgeMs : 0;
}

/** What is wrong with an answer, and whether it is a bot filter's. Pure. */
export function troubleOf(answer: Answer, expected: 200 | 401): { blocked: boolean; why: string } | undefined {
  if ('silent' in answer) return { blocked: false, why: answer.silent };
  const { status, json, mitigated, challenge } = answer;
  if (mitigated !== undefined) return { blocked: true, why: `status ${status}, cf-mitigated: ${mitigated}` };
  if (!json && FILTERED.has(status))
    return { blocked: true, why: `status ${status} with a page instead of our answer` };
  if (status !== expected) return { blocked: false, why: `status ${status}, not ${expected}` };
  if (expected === 401 && !/resource_metadata="?https?:\/\//.test(challenge ?? '')) {
    return { blocked: false, why: 'the refusal names no absolute resource_metadata' };
  }
  return json ? undefined : { blocked: false, why: `status ${status} without JSON` };
}

/** With these a filter answers in our place. */
const FILTERED: ReadonlySet<number> = new Set([403, 429, 503, 1010, 1020]);
