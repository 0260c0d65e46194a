// Media types of requests and responses. Called by the routes of intake and by what renders errors.

/** The encoding of OTLP that is not JSON. */
export const PROTOBUF = "application/x-protobuf";

/** The media type of a Content-Type header without its parameters, in lower case; empty without a header. */
export function mediaTypeOf(contentType = ""): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
