import { vi } from 'vitest';
import type { Clock } from '../../../link/socket/index.ts';
import { turn } from './workstation.ts';

/** Time that passes only when the test says so; sockets and files stay real. */
export class TestClock implements Clock {
  #mono = 1_000_000;
  #wall = 1_800_000_000_000;

  constructor() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  }

  mono(): number {
    return this.#mono;
  }

  wall(): number {
    return this.#wall;
  }

  /** Lets time pass in steps of a second, timers included. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      this.#mono += 1000;
      this.#wall += 1000;
      await vi.advanceTimersByTimeAsync(1000);
    }
  }

  /** Lets time pass until the condition holds, with real time in between for what is under way. */
  async passUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await this.pass(1000);
      await turn();
    }
  }

  /** The lid closes and opens: only the wall clock went on. */
  sleep(ms: number): void {
    this.#wall += ms;
  }
}
