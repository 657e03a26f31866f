/** The script of a stand-in's page, bundled once a process. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const bundled = new Map<string, Promise<string>>();

/** `entry`: the page's main file. */
export function pageScript(entry: URL): Promise<string> {
  const known = bundled.get(entry.href) ?? bundle(fileURLToPath(entry));
  bundled.set(entry.href, known);
  return known;
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'chrome120',
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The stand-in page was not bundled');
  return file.text;
}
