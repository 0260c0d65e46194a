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
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
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
    list: async (folder) => {
      const at = prefix.length;
      const keys = await keysBelow(client, Bucket, `${prefix}${folder}/`);
      return keys.map((key) => key.slice(at));
    },
    remove: async (file) => {
      const Key = prefix + file;
      for (const VersionId of await versionsOf(client, Bucket, Key))
        await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
      await abortUploads(client, Bucket, Key, undefined);
    },
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

/** The versions of one object, and its delete markers. */
async function versionsOf(client: S3Client, Bucket: string, key: string): Promise<string[]> {
  const versions: string[] = [];
  for await (const { Key, VersionId } of versionsBelow(client, Bucket, key))
    if (Key === key && VersionId !== undefined) versions.push(VersionId);
  return versions;
}

/** Also those of which only old versions, a delete marker or parts of an upload are left. */
async function keysBelow(client: S3Client, Bucket: string, Prefix: string): Promise<string[]> {
  const keys = new Set<string>();
  for await (const { Key } of versionsBelow(client, Bucket, Prefix))
    if (Key !== undefined) keys.add(Key);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  for (const { Key } of Uploads) if (Key !== undefined) keys.add(Key);
  return [...keys];
}

async function* versionsBelow(client: S3Client, Bucket: string, Prefix: string) {
  let next: { readonly KeyMarker?: string; readonly VersionIdMarker?: string } | undefined = {};
  while (next !== undefined) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket, Prefix, ...next }),
    );
    yield* page.Versions ?? [];
    yield* page.DeleteMarkers ?? [];
    const { IsTruncated, NextKeyMarker: key, NextVersionIdMarker: version } = page;
    next =
      IsTruncated === true && key !== undefined
        ? { KeyMarker: key, ...(version !== undefined && { VersionIdMarker: version }) }
        : undefined;
  }
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
