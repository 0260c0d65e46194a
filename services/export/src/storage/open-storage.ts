// Opens the storage that the settings name. Called by serve.ts.

import type { ConfigOf } from "@annals/chassis";
import type { SETTINGS } from "../config.ts";
import { directoryStorage } from "./directory-storage.ts";
import type { Storage } from "./storage.ts";

type StorageConfig = Pick<
  ConfigOf<typeof SETTINGS>,
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
