import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { edgePort, isFree } from '../../scripts/start/ports.ts';

describe('the edge’s port', () => {
  const free =
    (...taken: number[]) =>
    async (port: number) =>
      !taken.includes(port);

  it.each<[string, number | undefined, number | undefined, number[], number]>([
    ['8787 when nothing is known', undefined, undefined, [], 8787],
    ['the next free one', undefined, undefined, [8787, 8788], 8789],
    ['the one that clients were given before', undefined, 9999, [], 9999],
    ['8787 when that one is taken', undefined, 9999, [9999], 8787],
    ['the one that was asked for', 5555, 9999, [], 5555],
    ['never the installed product’s', undefined, 8772, [], 8787],
  ])('is %s', async (_, asked, before, taken, expected) => {
    expect(await edgePort(asked, before, free(...taken))).toBe(expected);
  });

  it('that was asked for and is taken is refused, not replaced', async () => {
    await expect(edgePort(5555, undefined, free(5555))).rejects.toThrow(/Port 5555 is in use/);
  });

  it('is refused when all are taken', async () => {
    await expect(edgePort(undefined, undefined, async () => false)).rejects.toThrow(
      /No port from 8787 to 8886 is free/,
    );
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
