/** The head of an answer on the call stream, byte by byte, so that a test can say what no peer of ours would. */
export const head = (number: number, status: number, total: number, size: number) => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number, 0);
  bytes.writeUInt16BE(status, 4);
  bytes.writeUInt32BE(total, 8);
  bytes.writeUInt32BE(size, 12);
  return bytes;
};
