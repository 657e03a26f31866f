import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { edgePort, isFree, isSoonFree, type PortLook } from '../../scripts/start/ports.ts';

describe('the edge’s port', () => {
  const look = (...taken: number[]): PortLook => {
    const free = async (port: number) => !taken.includes(port);
    return { free, soonFree: free };
  };

  it.each<[string, number | undefined, number | undefined, number[], number]>([
    ['8787 when nothing is known', undefined, undefined, [], 8787],
    ['the next free one', undefined, undefined, [8787, 8788], 8789],
    ['the one that clients were given before', undefined, 9999, [], 9999],
    ['the one that was asked for', 5555, 9999, [], 5555],
    ['the one that was asked for, also when the one of before is taken', 5555, 9999, [9999], 5555],
  ])('is %s', async (_, asked, before, taken, expected) => {
    expect(await edgePort(asked, before, look(...taken))).toBe(expected);
  });

  it('that was asked for and is taken is refused, not replaced', async () => {
    await expect(edgePort(5555, undefined, look(5555))).rejects.toThrow(/Port 5555 is in use/);
  });

  it.each([
    ['taken', 9999, [9999]],
    ['the installed product’s', 8772, []],
  ])(
    'that clients were given before and is %s is refused, with the way out and its price',
    async (_, before, taken) => {
      await expect(edgePort(undefined, before, look(...taken))).rejects.toMatchObject({
        sentence: expect.stringMatching(
          new RegExp(
            `^Port ${before}, .*another program.*nothing was started.*npm start -- --port .*signs in anew\\.$`,
          ),
        ),
      });
    },
  );

  it('of before that becomes free while we look is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const soon = isSoonFree(port);
    expect(await isFree(port)).toBe(false);
    server.close();
    expect(await soon).toBe(true);
  });

  it('is refused when all are taken', async () => {
    await expect(
      edgePort(undefined, undefined, { free: async () => false, soonFree: async () => false }),
    ).rejects.toThrow(/No port from 8787 to 8886 is free/);
  });

  it('is seen as taken while somebody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await isFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFree(port)).toBe(true);
  });
});
