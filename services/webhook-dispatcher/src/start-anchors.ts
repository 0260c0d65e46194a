// Starts the worker of the anchors of the log, with the witnesses of the policy and the bucket of the
// settings. Called by serve.ts.

import { type Closers, ConfigError, type ConfigOf } from "@annals/chassis";
import { S3LockedBucket } from "./anchors/locked-bucket.ts";
import { openLogWitnesses } from "./anchors/log-witnesses.ts";
import type { AnchorsDeps } from "./anchors/worker/anchor-deps.ts";
import { startAnchors } from "./anchors/worker/anchors.ts";
import type { SETTINGS } from "./config.ts";
import { operatorsS3Client } from "./outbound/s3-client.ts";

type Config = ConfigOf<typeof SETTINGS>;
type StartDeps = Omit<AnchorsDeps, keyof Config | "bucket" | "witnesses" | "witnessIntervalS">;

/**
 * A witness is asked once for each epoch, so the interval of epochs is its pace, too. This is the shortest
 * time between two requests, and the first wait after a failure.
 */
const WITNESS_INTERVAL_S = 1;

export async function startLogAnchors(
  config: Config,
  deps: StartDeps,
  closers: Closers,
): Promise<void> {
  const witnesses = await openLogWitnesses(config, { closers, log: deps.log });
  const bucket = openBucket(config, deps.extraAuthorities);
  if (bucket !== undefined) closers.add("bucket of the log", bucket, () => bucket.close());
  const anchors = startAnchors({
    ...config,
    ...deps,
    bucket,
    witnesses,
    witnessIntervalS: WITNESS_INTERVAL_S,
  });
  closers.addWorker("anchors", anchors);
}

/** Undefined: the log is kept in no bucket. */
function openBucket(
  config: Config,
  extraAuthorities: string | undefined,
): S3LockedBucket | undefined {
  const { logS3, logS3AccessKeyId: id, logS3SecretAccessKey: secret } = config;
  if ((id === undefined) !== (secret === undefined))
    throw new ConfigError(
      "ANNALS_LOG_S3_ACCESS_KEY_ID and ANNALS_LOG_S3_SECRET_ACCESS_KEY are set together or not at all",
    );
  if (logS3 === undefined) return undefined;
  const credentials =
    id !== undefined && secret !== undefined
      ? { accessKeyId: id, secretAccessKey: secret }
      : undefined;
  const client = operatorsS3Client({ ...logS3, credentials, extraAuthorities });
  return new S3LockedBucket(logS3.bucket, logS3.lockDays, client);
}
