/** The link protocol: frames, their codec, and the chunks of larger results. */
export { ResultAssembly, resultFrames } from './chunks.ts';
export { type Decoded, decodeFrame, encodeFrame, type Frame } from './codec.ts';
export * from './frames.ts';
export { packHead, type Unpacked, unpackCall, unpackResult } from './pack.ts';
