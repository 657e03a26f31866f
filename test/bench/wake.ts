/**
 * P11: from the runtime's settled event to the wake text submitted in the stand-in ChatGPT page, Auto on. The event is
 * timed where a second reader of the same stream hears it, the submit where the site's server accepts the turn. Everything
 * between is real: native host, service worker, page script, Chromium.
 */

import { startProduct } from '../extension/browser/product.ts';
import { follow, socketOf } from '../runtime-a-b/http/extension/client.ts';
import { until } from '../runtime-a-b/support/index.ts';
import { ORIGIN } from '../sites/chatgpt/index.ts';
import type { Row } from './table.ts';

const ROUNDS = 20;
const BAR_MS = 2_500;

export async function wakeAfterSettle(): Promise<Row> {
  const product = await startProduct({ agentSeconds: 1 });
  try {
    const shell = await product.agent('bench');
    const chat = product.site.truth.conversation({ title: 'Bench' });
    const page = await product.context.newPage();
    await page.goto(`${ORIGIN}/c/${chat.id}`);
    await page.locator('[data-action="continue"]').waitFor();
    const tab = await product.tabOf(page);
    await product.panel('panel.bind', { tab, workspace: shell.workspace_id });
    await page.locator('[data-action="auto"]').click();
    await page.locator('[data-action="auto"][aria-pressed="true"]').waitFor();

    const accepted: number[] = [];
    product.site.answer = (reply) => {
      accepted.push(performance.now());
      reply.write('Noted.').finish();
    };
    const settled: number[] = [];
    const stream = await follow(socketOf(product.runtime.stateDir));
    const times: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const from = stream.events.length;
      await product.herdr.call('agent.prompt', { target: 'bench', text: `round ${round}` });
      await stream.wait('settled', ({ event }) => event === 'agent_settled', from);
      settled.push(performance.now());
      await until('the wake', () => accepted.length >= round);
      times.push((accepted.at(-1) ?? 0) - (settled.at(-1) ?? 0));
      await until('the page is idle again', async () =>
        JSON.stringify((await product.stored())['herdr.tabs']).includes('"busy":false'),
      );
    }
    stream.close();
    const wakes = chat.turns.filter(({ role }) => role === 'user').length;
    const sorted = times.toSorted((a, b) => a - b);
    const ours = { p50: sorted[Math.floor(ROUNDS / 2)] ?? 0, p95: sorted[Math.ceil(ROUNDS * 0.95) - 1] ?? 0 };
    return {
      id: 'P11',
      what: 'settled event → wake text submitted, Auto on',
      beside: 'the bar alone',
      bar: `p95 ≤ ${BAR_MS} ms, exactly one wake`,
      held: ours.p95 <= BAR_MS && wakes === ROUNDS,
      ours,
      facts: { settles: ROUNDS, wakes },
    };
  } finally {
    await product.end();
  }
}
