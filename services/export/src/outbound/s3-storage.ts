// Export files in S3-compatible storage. A file is sent as it is written, in parts, and comes into
// being as a whole at the end, under the condition that nothing has its name. Loaded only where a
// bucket is configured: it is the only home of the AWS SDK.

import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { Sink, Storage } from "./storage.ts";

export interface S3Options {
  readonly bucket: string;
  /** Undefined: AWS itself. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** What keys begin with; may be empty. */
  readonly prefix: string;
}

/** S3 takes 10,000 parts: files up to 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts that are under way at a time, and so are held in memory. */
const PARTS_AT_A_TIME = 2;
/** Bytes that wait for the next part. */
const BUFFERED_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 5;

export function s3Storage(options: S3Options): Storage {
  const { bucket: Bucket, prefix } = options;
  const client = new S3Client({
    region: options.region,
    maxAttempts: MAX_ATTEMPTS,
    ...(options.endpoint !== undefined && { endpoint: options.endpoint, forcePathStyle: true }),
  });
  return {
    create: async (file) => upload(client, Bucket, prefix + file),
    read: async (file, offset, signal) => {
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket, Key: prefix + file, Range: `bytes=${offset}-` }),
        { abortSignal: signal },
      );
      if (!Body) throw new Error(`the object ${file} has no body`);
      return Body as unknown as AsyncIterable<Uint8Array>;
    },
    keepOnly: (stem, kept) =>
      keepOnly(client, Bucket, prefix + stem, kept === undefined ? undefined : prefix + kept),
    check: () =>
      client.send(new HeadBucketCommand({ Bucket })).then(
        () => undefined,
        () => "the bucket of export files cannot be reached",
      ),
    close: () => client.destroy(),
  };
}

function upload(client: S3Client, bucket: string, key: string): Sink {
  const body = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  const sending = new Upload({
    client,
    params: { Bucket: bucket, Key: key, Body: body, IfNoneMatch: "*" },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_A_TIME,
    leavePartsOnError: false,
  });
  // A failure shows at the next write or at the end, and ends the waiting of a writer.
  const done = sending.done();
  done.catch((error: unknown) => body.destroy(error instanceof Error ? error : undefined));
  body.on("error", () => {});
  return {
    write: async (chunk) => {
      if (body.destroyed) await done;
      if (body.write(Buffer.from(chunk))) return;
      await Promise.race([once(body, "drain"), done]);
    },
    finish: async () => {
      body.end();
      await done;
    },
    abort: async () => {
      // Ends the upload where it is, so that `done` waits for what is under way; the SDK's abort does not.
      body.destroy(new Error("the export was given up"));
      const isWhole = await done.then(
        () => true,
        () => false,
      );
      if (isWhole) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      await abortUploads(client, bucket, key, undefined);
    },
  };
}

/** One page each: a job leaves at most one object and one upload an attempt. */
async function keepOnly(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  kept: string | undefined,
): Promise<void> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
  for (const { Key } of Contents) {
    if (Key !== undefined && Key !== kept)
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
  }
  await abortUploads(client, Bucket, Prefix, kept);
}

/** Ends uploads that nobody finishes: their parts would be kept, and paid for, for ever. */
async function abortUploads(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  kept: string | undefined,
): Promise<void> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  for (const { Key, UploadId } of Uploads) {
    if (Key !== kept && UploadId !== undefined) {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  }
}
