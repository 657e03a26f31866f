/**
 * Every scenario also with its objects put out of memory between two of its steps.
 *
 * A step is a request to the Worker, and {@link step} stands around each of them. `npm test` takes a sample of the gaps,
 * the same ones in every run; `npm run test:matrix` takes all of them. While another request is under way nothing is
 * evicted, as the platform evicts no object that has something to answer. A test that looks into an object's memory (a
 * spy on an instance, a rate window) says so with {@link stayInMemory}.
 */
import { evictAllDurableObjects, listDurableObjectIds, reset as resetAwake, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { inject, TestRunner } from 'vitest';
import type { Env } from '../../edge/env.ts';
import { Workstation } from '../../edge/workstation/index.ts';
import { played } from '../played.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of how many gaps between two steps one is an eviction: 1 is each of them. */
    evictEvery: number;
  }
}

const bindings = env as unknown as Env;
const evictEvery = inject('evictEvery');

let running: unknown;
let gap = 0;
let underWay = 0;
let awake = false;

/** One request, and before it the eviction of every object where the run's sample says so. */
export function step<T>(work: () => Promise<T>): Promise<T> {
  enterTest();
  gap += 1;
  return counted(async () => {
    if (underWay === 1 && !awake && gap % evictEvery === 0) {
      await evictAllDurableObjects();
      if (running !== undefined) played('evictions');
    }
    return work();
  });
}

async function counted<T>(work: () => Promise<T>): Promise<T> {
  const mine = running;
  underWay += 1;
  try {
    return await work();
  } finally {
    if (mine === running) underWay -= 1;
  }
}

/** A call that a test hands to a workstation's object itself is under way too. */
const carry = Workstation.prototype.call;
Workstation.prototype.call = function (...args) {
  return counted(() => carry.apply(this, args));
};

/** From here to the end of the test no object is evicted. */
export function stayInMemory(): void {
  enterTest();
  awake = true;
}

function enterTest(): void {
  const test = TestRunner.getCurrentTest();
  if (test === running) return;
  running = test;
  gap = letters(test?.name ?? '');
  underWay = 0;
  awake = false;
}

/** Where the sample begins, so that the tests of a file do not all leave out the same gap. */
const letters = (name: string): number => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

/**
 * Empties the storage of every object. The plugin's own reset passes over an object that is not in memory and leaves its
 * rows to the next test, so the two that every test shares are woken first. A workstation's object may be passed over:
 * its name is the device's id, which no other test has.
 */
export async function reset(): Promise<void> {
  for (const space of [bindings.AUTH, bindings.FLEET]) {
    const namespace = space as unknown as DurableObjectNamespace<Rpc.DurableObjectBranded>;
    for (const id of await listDurableObjectIds(namespace))
      await runInDurableObject(namespace.get(id), () => undefined);
  }
  await resetAwake();
}
