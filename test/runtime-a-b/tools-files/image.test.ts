import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from './context.ts';

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });

function setUp(files: Record<string, string | Uint8Array>) {
  const root = repository(join(temporaryFolder(), 'r'), files);
  const tools = testTools(fileTools, liveView([{ cwd: root }]));
  const view = (name: string, more: Record<string, unknown> = {}) =>
    tools.call('herdr_fs_image', { path: join(root, name), ...more });
  return {
    view,
    code: async (name: string, more: Record<string, unknown> = {}) => (await refusal(() => view(name, more))).code,
  };
}

describe('herdr_fs_image', () => {
  it('sends a small image as it is, with the type that its bytes have', async () => {
    verifies('files.image');
    const png = await noise(8, 8).png().toBuffer();
    const { view } = setUp({
      'a.png': png,
      'wrong-name.jpg': png,
      'b.webp': await noise(8, 8).webp().toBuffer(),
      'c.gif': await noise(8, 8).gif().toBuffer(),
    });
    const { body, blocks } = await view('a.png');
    expect(body).toMatchObject({
      mime_type: 'image/png',
      bytes: png.length,
      preview: false,
      inline_budget_bytes: 163_840,
    });
    expect(blocks).toEqual([{ type: 'image', mimeType: 'image/png', data: png.toString('base64') }]);
    expect((await view('wrong-name.jpg')).body).toMatchObject({ mime_type: 'image/png' });
    expect((await view('b.webp')).body).toMatchObject({ mime_type: 'image/webp' });
    expect((await view('c.gif')).body).toMatchObject({ mime_type: 'image/gif' });
  });

  it('makes a preview of a large one that fits the budget', async () => {
    verifies('files.image');
    const { view } = setUp({ 'big.png': await noise(1_800, 900).png({ compressionLevel: 1 }).toBuffer() });
    const { body, blocks } = await view('big.png', { max_bytes: 8_000_000 });
    const block = blocks?.[0];
    if (block?.type !== 'image') throw new Error('no image block');
    const bytes = Buffer.from(block.data, 'base64');
    expect(bytes.length).toBeLessThanOrEqual(163_840);
    const { width, height, format } = await sharp(bytes).metadata();
    expect({ width, height, format }).toEqual({
      width: body.preview_width,
      height: body.preview_height,
      format: 'jpeg',
    });
    expect(body).toMatchObject({ preview: true, source_mime_type: 'image/png', mime_type: 'image/jpeg' });
  });

  it('flattens transparency to white', async () => {
    const clear = sharp({
      create: { width: 900, height: 900, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    });
    const { view } = setUp({ 'clear.png': await clear.png({ compressionLevel: 0 }).toBuffer() });
    const block = (await view('clear.png', { max_bytes: 8_000_000 })).blocks?.[0];
    if (block?.type !== 'image') throw new Error('no image block');
    const { channels } = await sharp(Buffer.from(block.data, 'base64')).stats();
    expect(channels.map((channel) => Math.round(channel.mean))).toEqual([255, 255, 255]);
  });

  it('refuses what it cannot show, each by its name', async () => {
    verifies('files.image');
    const huge = sharp({ create: { width: 8_000, height: 6_000, channels: 3, background: 'red' } });
    const { code } = setUp({
      'a.svg': '<svg/>',
      'fake.png': 'no picture',
      'broken.png': Buffer.concat([
        Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        randomBytes(200_000),
      ]),
      'big.png': await noise(400, 400).png().toBuffer(),
      'huge.png': await huge.png({ compressionLevel: 1 }).toBuffer(),
    });
    expect(await code('a.svg')).toBe('unsupported_image');
    expect(await code('fake.png')).toBe('unsupported_image');
    expect(await code('broken.png')).toBe('image_preview_failed');
    expect(await code('big.png', { max_bytes: 1_000 })).toBe('image_too_large');
    expect(await code('huge.png')).toBe('image_too_large');
    expect(await code('missing.png')).toBe('not_found');
  });
});
