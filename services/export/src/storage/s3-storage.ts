// Export files in S3-compatible storage. A file is uploaded in parts while it is written. It appears only at
// the end, complete, and only if no object has its name. Loaded only if a bucket is configured: only this
// file, part-upload.ts, s3-refusal.ts and s3-client.ts import the AWS SDK.

import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { PartUpload } from "./part-upload.ts";
import { assertAsStored, newS3Client, type S3Options } from "./s3-client.ts";
import { asRefusal } from "./s3-refusal.ts";
import type { Sink, Storage } from "./storage.ts";

/** `prefix` is that of all keys; it may be empty. */
export function s3Storage(options: S3Options & { readonly prefix: string }): Storage {
  const { bucket: Bucket, prefix } = options;
  const client = newS3Client(options);
  return {
    create: async (file) => upload(client, Bucket, prefix + file),
    read: async (file, offset, signal) => {
      const object = await client.send(
        new GetObjectCommand({ Bucket, Key: prefix + file, Range: `bytes=${offset}-` }),
        { abortSignal: signal },
      );
      assertAsStored(file, object);
      const { Body } = object;
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
      const key = prefix + file;
      await removeVersions(client, { Bucket, Prefix: key }, (each) => each === key);
      await abortUploads(client, Bucket, key, undefined);
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
    write: (chunk) => parts.write(chunk).catch(asRefusal),
    finish: (head) => parts.finish(head).catch(asRefusal),
    abort: async () => {
      if (await parts.stop())
        await removeVersions(client, { Bucket: bucket, Prefix: key }, (each) => each === key);
      await abortUploads(client, bucket, key, undefined);
    },
  };
}

async function keepOnly(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  kept: string | undefined,
): Promise<void> {
  await removeVersions(client, { Bucket, Prefix }, (key) => key !== kept);
  await abortUploads(client, Bucket, Prefix, kept);
}

interface Below {
  readonly Bucket: string;
  readonly Prefix: string;
}

/** Deletes each version of the objects below a prefix that are chosen, and their delete markers. */
async function removeVersions(
  client: S3Client,
  below: Below,
  isChosen: (key: string) => boolean,
): Promise<void> {
  const { Bucket } = below;
  for await (const { Key, VersionId } of versionsBelow(client, below)) {
    if (Key !== undefined && isChosen(Key))
      await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
  }
}

/** Also those of which only old versions, a delete marker or parts of an upload are left. */
async function keysBelow(client: S3Client, Bucket: string, Prefix: string): Promise<string[]> {
  const keys = new Set<string>();
  for await (const { Key } of versionsBelow(client, { Bucket, Prefix }))
    if (Key !== undefined) keys.add(Key);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  for (const { Key } of Uploads) if (Key !== undefined) keys.add(Key);
  return [...keys];
}

interface Version {
  readonly Key?: string | undefined;
  readonly VersionId?: string | undefined;
}

/** All versions and delete markers; the objects of a storage that knows no versions. */
async function* versionsBelow(client: S3Client, below: Below): AsyncGenerator<Version> {
  let next: { readonly KeyMarker?: string; readonly VersionIdMarker?: string } | undefined = {};
  while (next !== undefined) {
    const page = await pageOfVersions(client, { ...below, ...next });
    if (page === undefined) return yield* objectsBelow(client, below);
    yield* page.Versions ?? [];
    yield* page.DeleteMarkers ?? [];
    const { IsTruncated, NextKeyMarker: key, NextVersionIdMarker: version } = page;
    next =
      IsTruncated === true && key !== undefined
        ? { KeyMarker: key, ...(version !== undefined && { VersionIdMarker: version }) }
        : undefined;
  }
}

/** Resolves to undefined if the storage knows no versions. */
async function pageOfVersions(
  client: S3Client,
  asked: ListObjectVersionsCommandInput,
): Promise<ListObjectVersionsCommandOutput | undefined> {
  try {
    return await client.send(new ListObjectVersionsCommand(asked));
  } catch (error) {
    if (error instanceof Error && error.name === "NotImplemented") return undefined;
    throw error;
  }
}

async function* objectsBelow(client: S3Client, below: Below): AsyncGenerator<Version> {
  let next: string | undefined;
  do {
    const list = new ListObjectsV2Command({ ...below, ContinuationToken: next });
    const page: ListObjectsV2CommandOutput = await client.send(list);
    yield* page.Contents ?? [];
    next = page.NextContinuationToken;
  } while (next !== undefined);
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
