// Signs a GET request for S3-compatible storage, by version 4 of the signatures of AWS. Called by
// s3-files.ts. The secret stays here: it is neither in the headers nor in a message.

import { createHash, createHmac } from "node:crypto";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** The text in the path or the query of an address, as the signature has it. */
export function uriEncoded(text: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/** The headers of a GET of this address, whose parts are encoded and whose query is in order. */
export function signedHeaders(
  url: URL,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  { now, region }: { now: Date; region: string },
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const date = time.slice(0, "YYYYMMDD".length);
  const headers = {
    "x-amz-content-sha256": sha256(""),
    "x-amz-date": time,
    ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ host: url.host, ...headers });
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const query = url.search.slice(1);
  const request = ["GET", url.pathname, query, lines, names, sha256("")].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const key = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(request)].join("\n")).toString("hex");
  const credential = `Credential=${accessKeyId}/${scope}`;
  const authorization = `${ALGORITHM} ${credential},SignedHeaders=${names},Signature=${signature}`;
  return { ...headers, authorization };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
