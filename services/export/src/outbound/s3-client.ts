// Makes clients of S3-compatible storage. Called by s3-storage.ts and locked-bucket.ts.

import { S3Client } from "@aws-sdk/client-s3";

export interface S3Options {
  readonly bucket: string;
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Undefined: the standard chain of the SDK. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
}

const MAX_ATTEMPTS = 5;

export function newS3Client({ credentials, endpoint, region }: S3Options): S3Client {
  return new S3Client({
    region,
    maxAttempts: MAX_ATTEMPTS,
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  });
}
