// The ustar format of tar files, as far as a bundle of evidence needs it: plain files with short names.
// Called by the writer of bundles.

export const TAR_BLOCK_BYTES = 512;

const NAME_BYTES = 100;
/** The largest size that fits into eleven octal digits. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;
/** The first byte of a size that is a binary number. */
const BINARY = 0x80;
const AT = { mode: 100, uid: 108, gid: 116, size: 124, time: 136, sum: 148, type: 156, magic: 257 };

/** `time` is in seconds since 1970. Throws RangeError for a name that does not fit. */
export function tarHeader(name: string, size: number, time: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new RangeError("the name is too long");
  header.write(name);
  header.write("0000644\0", AT.mode);
  header.write("0000000\0", AT.uid);
  header.write("0000000\0", AT.gid);
  if (size <= MAX_OCTAL_SIZE) header.write(octal(size), AT.size);
  else {
    header.writeUInt8(BINARY, AT.size);
    header.writeBigUInt64BE(BigInt(size), AT.size + 4);
  }
  header.write(octal(time), AT.time);
  header.write("0", AT.type);
  header.write("ustar\u000000", AT.magic);
  // The sum is that of the header whose own field is eight spaces.
  header.write(" ".repeat(8), AT.sum);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, AT.sum);
  return header;
}

/** The zeros between the end of a file and the next header. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES);
}

/** Two blocks of zeros end the tar file. */
export const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;

function octal(value: number): string {
  return `${value.toString(8).padStart(11, "0")}\0`;
}
