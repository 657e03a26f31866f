/**
 * `npm run screenshots`: every surface in every state, both themes and three languages, to be looked at; and of them the
 * few that the documentation shows.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { takeEdge } from './edge.ts';
import { takeProduct } from './product.ts';
import { makeSheets } from './sheets.ts';
import { takeSurfaces } from './surfaces.ts';

/** From the matrix into the documentation: the name there, and the picture. */
const SHOWN: Readonly<Record<string, string>> = {
  'panel-light': 'sidepanel/working.en.light',
  'panel-dark': 'sidepanel/crowded.en.dark',
  'options-test': 'options/tested_offline.en.light',
  'options-template': 'options/template.zh.dark',
  'first-run': 'first-run/host_missing.en.light',
  'consent-desktop-en-dark': 'edge/unverified_desktop.en.dark',
  'consent-phone-en': 'edge/unverified.en.light',
  'consent-phone-ja-dark': 'edge/verified_local.ja.dark',
  'consent-phone-zh': 'edge/unverified.zh.light',
  'pair-phone-en': 'edge/pair.en.light',
};

export interface Folders {
  /** Pictures of the documentation. */
  docs: string;
  /** All of them; emptied first. */
  all: string;
}

/** Writes PNG files and returns the paths of those that the documentation shows. `only` names surfaces. */
export async function takeScreenshots({ docs, all }: Folders, only: readonly string[] = []): Promise<string[]> {
  const wanted = (name: string) => only.length === 0 || only.includes(name);
  for (const surface of ['sidepanel', 'options', 'first-run', 'bar', 'edge'].filter(wanted)) {
    rmSync(join(all, surface), { recursive: true, force: true });
    mkdirSync(join(all, surface), { recursive: true });
  }
  await takeSurfaces(all, wanted);
  if (wanted('edge')) await takeEdge(join(all, 'edge'));
  await makeSheets(all, wanted);
  const shown = Object.entries(SHOWN).filter(([, from]) => wanted(from.split('/')[0] ?? ''));
  const copied = await Promise.all(
    shown.map(async ([name, from]) => {
      const path = join(docs, `${name}.png`);
      // A page of few colours: as small as a clone deserves.
      await sharp(join(all, `${from}.png`))
        .png({ palette: true, compressionLevel: 9 })
        .toFile(path);
      return path;
    }),
  );
  return wanted('product') ? [...copied, ...(await takeProduct(docs))] : copied;
}
