// Makes clients of S3-compatible storage. Called by s3-storage.ts.

import { isAsStored } from "@annals/contract";
import { type GetObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";

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

/** Throws for an object whose bytes the storage, or what is before it, has encoded. */
export function assertAsStored(key: string, object: ReadObject): void {
  const { Body: body, ContentEncoding: encoding } = object;
  if (isAsStored(encoding)) return;
  if (body instanceof Readable) body.destroy();
  throw new Error(`the storage sends ${key} with the content encoding ${JSON.stringify(encoding)}`);
}

type ReadObject = Pick<GetObjectCommandOutput, "Body" | "ContentEncoding">;

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
