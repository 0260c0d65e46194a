// Makes clients of S3-compatible storage. Called by s3-storage.ts and locked-bucket.ts.

import { S3Client } from "@aws-sdk/client-s3";
import type { LookupFunction } from "node:net";

export interface S3Options {
  readonly bucket: string;
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: the standard chain of the SDK. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
  /** Resolves the name of the endpoint; by default the system resolver does. */
  readonly lookup?: LookupFunction | undefined;
}

const MAX_ATTEMPTS = 5;
/** Time of TCP and TLS of a new connection, with all addresses of the name. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Time of one address of the name: then the next one is tried. By default that is 250 ms. */
const ADDRESS_TIMEOUT_MS = CONNECT_TIMEOUT_MS / 4;

export function newS3Client({ credentials, endpoint, lookup, region }: S3Options): S3Client {
  const agent = {
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    ...(lookup && { lookup }),
  };
  return new S3Client({
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, httpAgent: agent, httpsAgent: agent },
    region,
    maxAttempts: MAX_ATTEMPTS,
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  });
}
