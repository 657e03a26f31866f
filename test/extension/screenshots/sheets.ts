/** Contact sheets, so that a person reads hundreds of pictures as a few: one a surface, language and theme. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const CELL = { width: 380, heightMax: 1_250, gap: 12 };
const COLUMNS = 4;

export async function makeSheets(folder: string, wanted: (surface: string) => boolean): Promise<void> {
  for (const surface of readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())) {
    if (!wanted(surface.name)) continue;
    const groups = new Map<string, string[]>();
    for (const name of readdirSync(join(folder, surface.name)).sort()) {
      const [, language, scheme] = name.split('.');
      const key = `${language}.${scheme}`;
      groups.set(key, [...(groups.get(key) ?? []), join(folder, surface.name, name)]);
    }
    for (const [key, files] of groups) await sheet(files, join(folder, `${surface.name}.${key}.png`));
  }
}

/** Each picture as wide as its column, and cut off below where a page is very long; a row is as high as its highest. */
async function sheet(files: readonly string[], path: string): Promise<void> {
  const { width, heightMax, gap } = CELL;
  const cells: { input: Buffer; left: number; top: number }[] = [];
  let top = gap;
  for (let first = 0; first < files.length; first += COLUMNS) {
    const row = await Promise.all(files.slice(first, first + COLUMNS).map((file) => cell(file, width, heightMax)));
    row.forEach(({ input }, column) => {
      cells.push({ input, left: gap + column * (width + gap), top });
    });
    top += Math.max(...row.map(({ height }) => height)) + gap;
  }
  const size = { width: COLUMNS * (width + gap) + gap, height: top };
  await sharp({ create: { ...size, channels: 3, background: '#808080' } })
    .composite(cells)
    .png()
    .toFile(path);
}

async function cell(file: string, width: number, heightMax: number): Promise<{ input: Buffer; height: number }> {
  const { data, info } = await sharp(file)
    .resize({ width, withoutEnlargement: true })
    .toBuffer({ resolveWithObject: true });
  if (info.height <= heightMax) return { input: data, height: info.height };
  const input = await sharp(data).extract({ left: 0, top: 0, width: info.width, height: heightMax }).toBuffer();
  return { input, height: heightMax };
}
