/** Bytes as text and back, without losing one: encodings, byte order marks, line endings. */
export {
  eightBitShape,
  exact,
  inTermsOf,
  readable,
  type Shape,
  SNIFF_BYTES,
  shapeOf,
  shapeOfHead,
  shown,
  toBytes,
} from './encoding.ts';
export {
  countEndings,
  type EndingCounts,
  type Line,
  type LineEnding,
  lineEnding,
  splitLines,
  usualEnding,
} from './lines.ts';
