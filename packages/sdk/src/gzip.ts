// Compression of request bodies. Used by transport.ts.

const MIN_LENGTH = 1_024;

/** A short text, and any where the runtime cannot compress, stays as it is. */
export async function compressed(text: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (text.length < MIN_LENGTH || typeof CompressionStream === "undefined") return text;
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
