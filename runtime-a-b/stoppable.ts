/** The end of a runtime: once, on a signal, with its parent, or when asked. */
import { isAlive, processStartTime } from '../local/spawn/index.ts';
import type { RuntimeRecord } from './generations/index.ts';
import { DRAIN_MS, PARENT_CHECK_MS } from './limits.ts';
import type { Dispatcher } from './operations/index.ts';
import type { Owned } from './owned.ts';

export interface Runtime {
  record: RuntimeRecord;
  stop(): Promise<void>;
  /** Resolves when it has stopped, for whatever reason. */
  stopped: Promise<void>;
}

/** The running runtime: it stops once, on a signal, with its parent, or when asked. */
export function stoppable(
  record: RuntimeRecord,
  parentPid: number | undefined,
  dispatcher: Dispatcher,
  owned: Owned,
): Runtime {
  let stopping: Promise<void> | undefined;
  let tell: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const onSignal = () => void stop();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, onSignal);
    owned.add(() => void process.off(signal, onSignal));
  }
  if (parentPid !== undefined) {
    const timer = followParent(parentPid, onSignal);
    owned.add(() => clearInterval(timer));
  }
  function stop(): Promise<void> {
    stopping ??= shutDown().finally(tell);
    return stopping;
  }

  /** Nothing new; what runs gets a moment to finish, then it is asked to stop. What it did is recorded either way. */
  async function shutDown(): Promise<void> {
    const patience = setTimeout(() => dispatcher.cancelAll(), DRAIN_MS);
    await dispatcher.drain();
    clearTimeout(patience);
    await owned.release();
  }

  return { record, stop, stopped };
}

function followParent(pid: number, stop: () => void): NodeJS.Timeout {
  const start = processStartTime(pid) ?? '';
  return setInterval(() => {
    if (!isAlive(pid, start)) stop();
  }, PARENT_CHECK_MS);
}
