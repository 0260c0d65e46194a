// Converts headers and errors between the two libraries of a client: Connect has Headers and ConnectError,
// grpc-js has Metadata and a status. Called by grpc-call.ts. Error details must not be lost.

import { Code, ConnectError } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { Metadata, status, type StatusObject } from "@grpc/grpc-js";

/** Binary values are base64 in Headers (as on the wire) and bytes in Metadata. */
const BINARY_SUFFIX = "-bin";

/** Set by grpc-js itself. */
const RESERVED = new Set(["content-type", "te", "user-agent", "host", "connection"]);

export function toMetadata(header: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of header) {
    if (RESERVED.has(name) || name.startsWith("grpc-")) continue;
    metadata.add(name, name.endsWith(BINARY_SUFFIX) ? Buffer.from(value, "base64") : value);
  }
  return metadata;
}

export function fillHeaders(header: Headers, metadata: Metadata): void {
  for (const [name, values] of Object.entries(metadata.toJSON())) {
    for (const value of values)
      header.append(name, typeof value === "string" ? value : value.toString("base64"));
  }
}

/**
 * Undefined for OK. Connect's own reader decodes the details in the trailer `grpc-status-details-bin`.
 */
export function errorOfStatus({ code, details, metadata }: StatusObject): ConnectError | undefined {
  if (code === status.OK) return undefined;
  const header = new Headers();
  fillHeaders(header, metadata);
  const detailed = header.has("grpc-status-details-bin") ? findTrailerError(header) : undefined;
  return detailed ?? new ConnectError(decoded(details), isCode(code) ? code : Code.Unknown, header);
}

/** Connect percent-encodes reserved characters, and grpc-js does not decode them. */
function decoded(details: string): string {
  try {
    return decodeURIComponent(details);
  } catch {
    return details;
  }
}

function isCode(code: number): code is Code {
  return code in Code;
}
