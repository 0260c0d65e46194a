// A bucket whose objects cannot be deleted or changed for a time: object lock in compliance mode. Called by
// worker/bucket-anchor.ts and log-upload.ts. Every object is read again after it was stored, with its lock.

import { isAsStored } from "@annals/contract";
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  type GetObjectRetentionCommandOutput,
  PutObjectCommand,
  PutObjectRetentionCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Readable } from "node:stream";

/** A request takes at most this long, its retries included. */
const TIMEOUT_MS = 30_000;
/** Larger than any file of a log. */
const MAX_BYTES = 1024 * 1024;
const MODE = "COMPLIANCE";

export interface LockedFile {
  /** The key of the object. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly cacheControl: string;
  /** In whole seconds. */
  readonly until: Date;
}

/** An object as it is stored. */
export interface Stored {
  readonly bytes: Buffer;
  readonly version: string;
}

export type LockedBucket = Pick<S3LockedBucket, keyof S3LockedBucket>;

export class S3LockedBucket {
  readonly name: string;
  /** For how long each object is locked. */
  readonly lockDays: number;
  readonly #client: S3Client;

  constructor(name: string, lockDays: number, client: S3Client) {
    [this.name, this.lockDays, this.#client] = [name, lockDays, client];
  }

  /** Resolves to why nothing can be locked here, or to undefined. Rejects if the bucket does not answer. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const asked = new GetObjectLockConfigurationCommand({ Bucket: this.name });
    const found = await this.#client.send(asked, within(signal)).catch(withoutLock);
    const isEnabled = found.ObjectLockConfiguration?.ObjectLockEnabled === "Enabled";
    return isEnabled ? undefined : "the bucket has no object lock";
  }

  /** Resolves to undefined if there is no such object. */
  async read(path: string, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      return (await this.#get(path, signal)).bytes;
    } catch (error) {
      if (statusOf(error) === 404 && nameOf(error) !== "NoSuchBucket") return undefined;
      throw error;
    }
  }

  /** Stores a file if its path has none. Resolves to the one that is there, locked for long enough. */
  async keep(file: LockedFile, signal: AbortSignal): Promise<Stored> {
    await this.#put(file, { IfNoneMatch: "*" }, signal).catch((error: unknown) => {
      if (statusOf(error) !== 412) throw error;
    });
    return this.#locked(file, signal);
  }

  /** Stores a file as the newest version of its path, locked. */
  async replace(file: LockedFile, signal: AbortSignal): Promise<Stored> {
    await this.#put(file, {}, signal);
    return this.#locked(file, signal);
  }

  close(): void {
    this.#client.destroy();
  }

  async #get(Key: string, signal: AbortSignal): Promise<Stored> {
    const asked = new GetObjectCommand({ Bucket: this.name, Key });
    const object = await this.#client.send(asked, within(signal));
    const fault = faultOf(object, Key);
    if (fault !== undefined) {
      if (object.Body instanceof Readable) object.Body.destroy();
      throw new Error(fault);
    }
    const bytes = Buffer.from((await object.Body?.transformToByteArray()) ?? []);
    return { bytes, version: object.VersionId ?? "" };
  }

  async #put(file: LockedFile, more: { IfNoneMatch?: string }, signal: AbortSignal): Promise<void> {
    const object = {
      Bucket: this.name,
      Key: file.path,
      Body: file.bytes,
      ContentType: file.type,
      CacheControl: file.cacheControl,
      ChecksumAlgorithm: "SHA256",
      ObjectLockMode: MODE,
      ObjectLockRetainUntilDate: file.until,
      ...more,
    } as const;
    await this.#client.send(new PutObjectCommand(object), within(signal));
  }

  /** Reads what is stored, and has it locked for long enough: an older lock is made longer. */
  async #locked({ path, until }: LockedFile, signal: AbortSignal): Promise<Stored> {
    const stored = await this.#get(path, signal);
    const version = stored.version === "" ? {} : { VersionId: stored.version };
    const object = { Bucket: this.name, Key: path, ...version };
    if (await this.#isLocked(object, until, signal)) return stored;
    const Retention = { Mode: MODE, RetainUntilDate: until } as const;
    const lock = new PutObjectRetentionCommand({ ...object, Retention });
    await this.#client.send(lock, within(signal));
    if (await this.#isLocked(object, until, signal)) return stored;
    throw new Error(`the bucket has not locked ${path}`);
  }

  async #isLocked(object: Version, until: Date, signal: AbortSignal): Promise<boolean> {
    const asked = new GetObjectRetentionCommand(object);
    const { Retention } = await this.#client.send(asked, within(signal)).catch(withoutLock);
    return Retention?.Mode === MODE && Number(Retention.RetainUntilDate ?? 0) >= Number(until);
  }
}

interface Version {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId?: string;
}

/** Why the bytes of an object are not read. */
function faultOf(object: GetObjectCommandOutput, key: string): string | undefined {
  const { ContentEncoding: encoding, ContentLength: bytes = Infinity } = object;
  if (!isAsStored(encoding))
    return `the storage sends ${key} with the content encoding ${JSON.stringify(encoding)}`;
  return bytes > MAX_BYTES ? `${key} is too large` : undefined;
}

function within(signal: AbortSignal) {
  return { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) };
}

/** The answers of a bucket, and of an object, without object lock. */
const WITHOUT_LOCK = ["ObjectLockConfigurationNotFoundError", "NoSuchObjectLockConfiguration"];

function withoutLock(error: unknown): {
  ObjectLockConfiguration?: { ObjectLockEnabled?: string };
  Retention?: GetObjectRetentionCommandOutput["Retention"];
} {
  if (WITHOUT_LOCK.includes(nameOf(error))) return {};
  throw error;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}
