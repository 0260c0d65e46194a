// A bundle of entries as tlog-tiles has it: for each its length in two bytes, big-endian, and its bytes.
// Called by the RPCs that read entries.

const LENGTH_BYTES = 2;

export function entryBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}
