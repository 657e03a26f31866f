/**
 * A stand-in for npm's registry on loopback: it serves the packages that are installed in this clone, as their published
 * files (nothing that an install script has built), and knows no others.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Registry {
  url: string;
  /** Names of the packages whose files were fetched. */
  fetched: string[];
  close(): Promise<void>;
}

export async function startRegistry(nodeModules: string): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'hm-registry-'));
  const packing = new Set<ChildProcess>();
  const fetched: string[] = [];
  const server = createServer((request, response) => {
    const [, name = '', isFile] = /^\/(.+?)(\/-\/package\.tgz)?$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const manifestFile = join(nodeModules, name, 'package.json');
    if (request.method !== 'GET' || name.includes('..') || !existsSync(manifestFile)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
      return;
    }
    if (isFile) {
      fetched.push(name);
      const place = mkdtempSync(join(folder, 'package-'));
      symlinkSync(realpathSync(join(nodeModules, name)), join(place, 'package'));
      const left = ['package/build', 'package/node_modules'].map((path) => `--exclude=${path}`);
      const tar = spawn('tar', ['-chzf', '-', ...left, '-C', place, 'package'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      packing.add(tar);
      tar.once('close', () => packing.delete(tar));
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      tar.stdout.pipe(response);
      return;
    }
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as { version: string };
    const dist = { tarball: `${url()}/${name}/-/package.tgz` };
    const { version } = manifest;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }),
    );
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: url(),
    fetched,
    close: async () => {
      for (const tar of packing) tar.kill('SIGKILL');
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
