/** The link protocol: frames, their codec, the chunks of larger results, and the loopback routes behind the link. */
export { ResultAssembly, resultFrames } from './chunks.ts';
export { type Decoded, decodeFrame, encodeFrame, type Frame } from './codec.ts';
export * from './frames.ts';
export { packHead, type Unpacked, unpackCall, unpackResult } from './pack.ts';
export * from './route.ts';
export {
  CALLS_UPGRADE,
  onePiece,
  PIECE_BYTES,
  type PieceHead,
  PieceReader,
  piecesOf,
  sizeOf,
} from './stream.ts';
