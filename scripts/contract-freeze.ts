/**
 * `npm run contract:freeze`: writes the published tool lists to contract/epochs/ (or the folder that is given) with their
 * hashes. While a plane is `draft` in state.json its files may change; once it is `binding` an epoch never does, and one
 * that is missing is not made up anew: a change that a model can see is a new epoch.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { canonicalJson, sha256 } from '../contract/canonical.ts';
import { publicTools, runtimeTools } from '../contract/catalog/index.ts';

const [given] = process.argv.slice(2);
const folder =
  given === undefined ? new URL('../contract/epochs/', import.meta.url) : pathToFileURL(`${resolve(given)}/`);
const state = JSON.parse(readFileSync(new URL('state.json', folder), 'utf8')) as { runtime: string; public: string };

const lists = [
  { name: 'runtime-2', plane: 'runtime', epoch: 2, tools: runtimeTools(2) },
  { name: 'runtime-4', plane: 'runtime', epoch: 4, tools: runtimeTools(4) },
  { name: 'runtime-5', plane: 'runtime', epoch: 5, tools: runtimeTools(5) },
  { name: 'public-3', plane: 'public', epoch: 3, tools: publicTools(3) },
  { name: 'public-8', plane: 'public', epoch: 8, tools: publicTools(8) },
] as const;

let refused = 0;
for (const { name, plane, epoch, tools } of lists) {
  const file = new URL(`${name}.json`, folder);
  const frozen = { plane, epoch, hash: await sha256(canonicalJson(tools)), tools };
  const text = `${JSON.stringify(frozen, null, 1)}\n`;
  const present = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (present !== text && state[plane] === 'binding') {
    const what = present === undefined ? 'is missing; restore it with git' : 'differs from the catalog';
    console.error(`${name}: is binding and ${what}. A change that a model can see is a new epoch.`);
    refused += 1;
    continue;
  }
  writeFileSync(file, text);
  console.log(`${name}: ${tools.length} tools, ${frozen.hash}`);
}
process.exitCode = refused === 0 ? 0 : 1;
