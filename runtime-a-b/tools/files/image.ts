/**
 * `herdr_fs_image`: a picture as an image block. A large one becomes a JPEG preview, so that the answer stays a small
 * message. The decoder is loaded with the first large picture, not with the runtime.
 */
import { closeSync } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { openInside } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { readFailure, rootFacts } from './common.ts';
import { IMAGE_BYTES, IMAGE_INLINE_BYTES, IMAGE_PIXELS_MAX, PREVIEW } from './limits.ts';
import { readWhole } from './whole.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

export const fsImage: ToolHandler = async (args, context) => {
  const { path, max_bytes = IMAGE_BYTES } = args as { path: string; max_bytes?: number };
  const resolved = await context.roots.existing(context.live.view(), path);
  const { fd, stats } = openInside(resolved);
  let bytes: Buffer;
  try {
    if (TYPES[posix.extname(resolved.path).toLowerCase()] === undefined)
      throw unsupported(resolved.asked, 'its name does not end in png, jpg, jpeg, gif or webp');
    if (stats.size > max_bytes)
      throw tooLarge(`${resolved.asked} has ${stats.size} bytes, more than max_bytes ${max_bytes}.`, stats.size);
    bytes = readWhole(fd, stats.size);
  } catch (error) {
    throw readFailure(error, resolved.asked);
  } finally {
    closeSync(fd);
  }
  const sourceType = typeOf(bytes);
  if (sourceType === undefined) throw unsupported(resolved.asked, 'its content is none of png, jpeg, gif and webp');
  const preview = bytes.length <= IMAGE_INLINE_BYTES ? undefined : await makePreview(bytes, resolved.asked);
  const sent = preview?.bytes ?? bytes;
  const mimeType = preview === undefined ? sourceType : 'image/jpeg';
  return {
    ok: true,
    body: {
      path: resolved.path,
      ...rootFacts(resolved.root),
      mime_type: mimeType,
      bytes: sent.length,
      source_mime_type: sourceType,
      source_bytes: bytes.length,
      preview: preview !== undefined,
      ...(preview === undefined ? {} : { preview_width: preview.width, preview_height: preview.height }),
      inline_budget_bytes: IMAGE_INLINE_BYTES,
    },
    blocks: [{ type: 'image', data: sent.toString('base64'), mimeType }],
  };
};

/** By content, because hosts refuse a picture whose bytes are not what its type says. */
function typeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

interface Preview {
  bytes: Buffer;
  width: number;
  height: number;
}

async function makePreview(source: Buffer, path: string): Promise<Preview> {
  const { default: sharp } = await import('sharp');
  try {
    const { width, height } = await sharp(source, { limitInputPixels: false }).metadata();
    if (width * height > IMAGE_PIXELS_MAX)
      throw tooLarge(
        `${path} has ${width} × ${height} pixels; at most ${IMAGE_PIXELS_MAX} are decoded.`,
        source.length,
      );
    for (const { side, quality } of attempts()) {
      const { data, info } = await sharp(source, { limitInputPixels: IMAGE_PIXELS_MAX })
        .rotate()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#ffffff' })
        .jpeg({ quality })
        .toBuffer({ resolveWithObject: true });
      if (data.length <= IMAGE_INLINE_BYTES) return { bytes: data, width: info.width, height: info.height };
    }
  } catch (error) {
    if (error instanceof OutcomeError) throw error;
    throw new OutcomeError('image_preview_failed', `${path} could not be decoded as an image.`, {
      next: 'Check the file with herdr_exec (file), or convert it first.',
      cause: error,
    });
  }
  throw new OutcomeError('image_preview_failed', `No preview of ${path} fits ${IMAGE_INLINE_BYTES} bytes.`, {
    next: 'Cut or shrink the image with herdr_exec first.',
  });
}

/** First less quality, then fewer pixels. */
function* attempts(): Generator<{ side: number; quality: number }> {
  for (let quality: number = PREVIEW.quality; quality >= PREVIEW.qualityMin; quality -= PREVIEW.qualityStep) {
    yield { side: PREVIEW.side, quality };
  }
  for (let side = PREVIEW.side * PREVIEW.shrink; side >= PREVIEW.sideMin; side *= PREVIEW.shrink) {
    yield { side: Math.floor(side), quality: PREVIEW.smallQuality };
  }
  yield { side: PREVIEW.sideMin, quality: PREVIEW.qualityMin };
}

function tooLarge(message: string, bytes: number): OutcomeError {
  return new OutcomeError('image_too_large', message, {
    next: 'Raise max_bytes, or shrink the image with herdr_exec first.',
    details: { bytes },
  });
}

function unsupported(path: string, why: string): OutcomeError {
  return new OutcomeError('unsupported_image', `${path} is no image that can be shown: ${why}.`, {
    next: 'Convert it to png or jpeg with herdr_exec, or read it as text.',
  });
}
