// Tells whether the bytes of an object are those that were stored. Two readers must never see different ones.
// Called by the services that read from S3-compatible storage. annals-verify has its own.

/** Some storage keeps `aws-chunked`, the encoding of the upload. */
const AS_STORED: ReadonlySet<string> = new Set(["", "identity", "aws-chunked"]);

/** `encoding` is the header `Content-Encoding` of the response; undefined if it has none. */
export function isAsStored(encoding = ""): boolean {
  return AS_STORED.has(encoding.toLowerCase());
}
