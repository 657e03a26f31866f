/**
 * A ZIP archive whose bytes depend on nothing but names and contents: sorted, without times, owners or extra fields
 * (PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). Archives of the size of an extension need no ZIP64.
 */
import { crc32, deflateRawSync } from 'node:zlib';

/** 1 January 1980, 0:00: the earliest time that the format knows. */
const DOS_DATE = (1 << 5) | 1;
/** Version 2.0: deflate and folders. */
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;

export function zipOf(files: readonly { name: string; bytes: Uint8Array }[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const path = Buffer.from(name);
    const common = commonFields(crc32(bytes), packed.length, bytes.length, path.length);
    const local = Buffer.concat([uint(0x04034b50, 4), common, path]);
    parts.push(local, packed);
    directory.push(
      Buffer.concat([uint(0x02014b50, 4), uint(VERSION, 2), common, Buffer.alloc(10), uint(offset, 4), path]),
    );
    offset += local.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const count = uint(directory.length, 2);
  const end = [uint(0x06054b50, 4), Buffer.alloc(4), count, count, uint(central.length, 4), uint(offset, 4)];
  return Buffer.concat([...parts, central, ...end, Buffer.alloc(2)]);
}

/** The 26 bytes that a file's own head and its line in the directory share. */
function commonFields(crc: number, packed: number, plain: number, name: number): Buffer {
  return Buffer.concat([
    uint(VERSION, 2),
    uint(FLAGS, 2),
    uint(DEFLATE, 2),
    uint(0, 2),
    uint(DOS_DATE, 2),
    uint(crc, 4),
    uint(packed, 4),
    uint(plain, 4),
    uint(name, 2),
    uint(0, 2),
  ]);
}

function uint(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 2) buffer.writeUInt16LE(value);
  else buffer.writeUInt32LE(value);
  return buffer;
}
