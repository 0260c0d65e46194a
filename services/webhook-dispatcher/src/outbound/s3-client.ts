// Makes clients of S3-compatible storage: for sinks, whose requests exchange.ts sends, and for the bucket of
// the log. Called by s3-uploads.ts and start-anchors.ts.

import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { addressTimeoutMs, trustedContext } from "@annals/chassis";
import type { LookupFunction } from "node:net";

export interface S3Options {
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: the standard chain of the SDK. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
}

/** Time of TCP and TLS of a new connection, with all addresses of the name. */
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 5;

export function newS3Client(
  { credentials, endpoint, region }: S3Options,
  sending: Pick<S3ClientConfig, "expectContinueHeader" | "maxAttempts" | "requestHandler">,
): S3Client {
  return new S3Client({
    ...sending,
    region,
    // The SDK adds members of its own to the object.
    ...(credentials && { credentials: { ...credentials } }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  });
}

interface OperatorsOptions extends S3Options {
  /** Authorities (PEM) besides the usual ones. */
  readonly extraAuthorities: string | undefined;
  /** Resolves the name of the endpoint; by default the system resolver does. */
  readonly lookup?: LookupFunction | undefined;
}

/** A client of storage that the operator has named: its address may be private, and it may have no TLS. */
export function operatorsS3Client(options: OperatorsOptions): S3Client {
  const { extraAuthorities, lookup } = options;
  const agent = {
    autoSelectFamilyAttemptTimeout: addressTimeoutMs(CONNECT_TIMEOUT_MS),
    ...(lookup && { lookup }),
  };
  const httpsAgent = { ...agent, secureContext: trustedContext(extraAuthorities) };
  const requestHandler = { connectionTimeout: CONNECT_TIMEOUT_MS, httpAgent: agent, httpsAgent };
  return newS3Client(options, { maxAttempts: MAX_ATTEMPTS, requestHandler });
}
