// Opens the storage that the settings name, and the bucket of the log.

import { ConfigError, type ConfigOf } from "@annals/chassis";
import type { SETTINGS } from "../config.ts";
import { directoryStorage } from "./directory-storage.ts";
import type { LockedBucket } from "../anchors/locked-bucket.ts";
import type { Storage } from "./storage.ts";

type Config = ConfigOf<typeof SETTINGS>;
type StorageConfig = Pick<
  Config,
  "directory" | "s3Bucket" | "s3Endpoint" | "s3Region" | "s3Prefix"
>;

export async function openStorage(config: StorageConfig): Promise<Storage> {
  if (config.s3Bucket === undefined) return directoryStorage(config.directory);
  const { s3Storage } = await import("./s3-storage.ts");
  return s3Storage({
    bucket: config.s3Bucket,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    prefix: config.s3Prefix ?? "",
  });
}

type BucketConfig = Pick<
  Config,
  "logS3AccessKeyId" | "logS3Bucket" | "logS3Endpoint" | "logS3Region" | "logS3SecretAccessKey"
>;

/** Undefined: the log is kept in no bucket. */
export async function openLockedBucket(config: BucketConfig): Promise<LockedBucket | undefined> {
  const { logS3AccessKeyId: id, logS3Bucket: bucket, logS3SecretAccessKey: secret } = config;
  if ((id === undefined) !== (secret === undefined))
    throw new ConfigError(
      "ANNALS_LOG_S3_ACCESS_KEY_ID and ANNALS_LOG_S3_SECRET_ACCESS_KEY are set together or not at all",
    );
  if (bucket === undefined) return undefined;
  const { S3LockedBucket } = await import("../anchors/locked-bucket.ts");
  return new S3LockedBucket({
    bucket,
    endpoint: config.logS3Endpoint,
    region: config.logS3Region,
    credentials:
      id !== undefined && secret !== undefined
        ? { accessKeyId: id, secretAccessKey: secret }
        : undefined,
  });
}
