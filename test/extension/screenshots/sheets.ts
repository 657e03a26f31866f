/** Contact sheets, so that a person reads hundreds of pictures as a few: one a surface, language and theme. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const CELL = { width: 380, height: 620, gap: 12 };
const COLUMNS = 4;

export async function makeSheets(folder: string, wanted: (surface: string) => boolean): Promise<void> {
  for (const surface of readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())) {
    if (!wanted(surface.name)) continue;
    const groups = new Map<string, string[]>();
    for (const name of readdirSync(join(folder, surface.name)).sort()) {
      const [, language, scheme] = name.split('.');
      const key = `${language}.${scheme}`;
      groups.set(key, [...(groups.get(key) ?? []), join(surface.name, name)]);
    }
    for (const [key, names] of groups) await sheet(folder, names, join(folder, `${surface.name}.${key}.png`));
  }
}

async function sheet(folder: string, names: readonly string[], path: string): Promise<void> {
  const { width, height, gap } = CELL;
  const cells = await Promise.all(
    names.map(async (name, index) => {
      const input = await sharp(join(folder, name)).resize({ width, height, fit: 'inside' }).toBuffer();
      const column = index % COLUMNS;
      const row = Math.floor(index / COLUMNS);
      return { input, left: gap + column * (width + gap), top: gap + row * (height + gap) };
    }),
  );
  const rows = Math.ceil(names.length / COLUMNS);
  await sharp({
    create: {
      width: COLUMNS * (width + gap) + gap,
      height: rows * (height + gap) + gap,
      channels: 3,
      background: '#808080',
    },
  })
    .composite(cells)
    .png()
    .toFile(path);
}
