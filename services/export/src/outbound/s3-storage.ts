// Export files in S3-compatible storage. A file is uploaded in parts while it is written. It appears only at
// the end, complete, and only if no object has its name. Loaded only if a bucket is configured: only this
// file, part-upload.ts, locked-bucket.ts and s3-client.ts import the AWS SDK.

import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from "@aws-sdk/client-s3";
import { PartUpload } from "./part-upload.ts";
import { newS3Client, type S3Options } from "./s3-client.ts";
import type { Sink, Storage } from "./storage.ts";

/** `prefix` is that of all keys; it may be empty. */
export function s3Storage(options: S3Options & { readonly prefix: string }): Storage {
  const { bucket: Bucket, prefix } = options;
  const client = newS3Client(options);
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
        () => "the bucket of export files is unreachable",
      ),
    close: () => client.destroy(),
  };
}

function upload(client: S3Client, bucket: string, key: string): Sink {
  const parts = new PartUpload(client, { Bucket: bucket, Key: key });
  return {
    write: (chunk) => parts.write(chunk),
    finish: (head) => parts.finish(head),
    abort: async () => {
      if (await parts.stop())
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      await abortUploads(client, bucket, key, undefined);
    },
  };
}

/** One page of each list is enough: an attempt leaves at most one object and one upload. */
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

/** Aborts unfinished uploads: their parts would be stored, and charged for, permanently. */
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
