// Opens the storage that the settings name. Called by serve.ts.

import type { ConfigOf } from "@annals/chassis";
import type { SETTINGS } from "../config.ts";
import { directoryStorage } from "./directory-storage.ts";
import type { Storage } from "./storage.ts";

export async function openStorage(
  location: ConfigOf<typeof SETTINGS>["storageLocation"],
): Promise<Storage> {
  if ("directory" in location) return directoryStorage(location.directory);
  const { s3Storage } = await import("./s3-storage.ts");
  return s3Storage(location);
}
