/** What a person sees of the bridge on the page. Pure. */
import type { BridgeView } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import { awaits, type BridgeState, type Loop, openRound } from './state.ts';

export function bridgeView(
  state: BridgeState,
  page: PageIdentity,
  given: { isOn: boolean; isBound: boolean },
): BridgeView | null {
  if (!given.isOn) return null;
  const { conversation } = page;
  const loop = conversation === null ? undefined : state.loops[conversation];
  const round = loop ? openRound(loop) : null;
  return {
    tools: conversation !== null && state.off[conversation] ? 'off' : 'on',
    phase: loop ? phaseOf(loop) : 'idle',
    paused: loop?.paused ?? null,
    used: loop?.used ?? 0,
    budget: loop?.budget ?? 0,
    running: round?.calls.filter((call) => call.state === 'executing').map(({ tool }) => tool) ?? [],
    done: round?.calls.filter((call) => call.state === 'done').length ?? 0,
    total: round?.calls.length ?? 0,
    waiting: loop?.said.length ?? 0,
    unnamed: given.isBound && conversation !== null && state.unnamed[conversation] === true,
  };
}

function phaseOf(loop: Loop): BridgeView['phase'] {
  if (loop.paused !== null) return 'paused';
  const round = openRound(loop);
  if (round?.calls.some(({ state }) => state !== 'done')) return 'running';
  if (round !== null || loop.said.length > 0) return 'posting';
  return awaits(loop) ? 'waiting' : 'idle';
}
