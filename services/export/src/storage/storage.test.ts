// Guarantees of both storages: a file is complete under its name or absent, it can be read from any offset,
// it is never overwritten, and files of earlier attempts are deleted. Storage without checksums serves if
// the settings of the AWS SDK ask for none, and else refuses a file with its reason. S3 is tested against a
// real S3-compatible server, which Go builds if it is not there. The run prints which.

import {
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { freePort } from "@annals/local";
import { findS3Server, namesChecksum, S3Server } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { directoryStorage } from "./directory-storage.ts";
import { s3Storage } from "./s3-storage.ts";
import { MAX_HEAD_BYTES, type Storage, StorageRefused } from "./storage.ts";

const SERVER = await findS3Server().catch(() => undefined);
const KINDS = SERVER === undefined ? ["directory"] : ["directory", "S3"];
const BUCKET = "exports";
const MIB = 1024 * 1024;
/** Errors of the operating system and of S3. */
const ABSENT = /ENOENT|does not exist|upload/i;
const TAKEN = /EEXIST|pre-?condition/i;

process.stdout.write(`storage tests ran with: ${KINDS.join(", ")}\n`);

describe.each(KINDS)("%s", (kind) => {
  let folder: string;
  let server: S3Server | undefined;
  let storage: Storage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "annals-storage-"));
    if (kind === "directory") {
      storage = directoryStorage(join(folder, "made"));
      return;
    }
    server = await S3Server.start(SERVER ?? "", await freePort());
    await server.createBucket(BUCKET);
    const { credentials, endpoint, region } = server;
    storage = s3Storage({ bucket: BUCKET, credentials, endpoint, region, prefix: "in/here/" });
  });

  afterAll(async () => {
    storage.close();
    await server?.close();
    await rm(folder, { recursive: true });
  });

  async function read(file: string, offset = 0): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    const pieces = await storage.read(file, offset, new AbortController().signal);
    for await (const chunk of pieces) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async function write(file: string, chunks: readonly Uint8Array[]): Promise<void> {
    const sink = await storage.create(file);
    for (const chunk of chunks) await sink.write(chunk);
    await sink.finish();
  }

  test("is ready", async () => {
    expect(await storage.check()).toBeUndefined();
  });

  test("a file of several parts can be read from any offset", async () => {
    const bytes = randomBytes(20 * MIB);
    const chunks = Array.from({ length: 80 }, (_, n) =>
      bytes.subarray((n * MIB) / 4, ((n + 1) * MIB) / 4),
    );
    await write("a/exp_1.1.jsonl", chunks);
    expect((await read("a/exp_1.1.jsonl")).equals(bytes)).toBe(true);
    expect((await read("a/exp_1.1.jsonl", 12_345_678)).equals(bytes.subarray(12_345_678))).toBe(
      true,
    );
  });

  test.each([1, 20])(
    "the first bytes of a file of %i MiB may be written at the end",
    async (mib) => {
      const bytes = randomBytes(mib * MIB);
      const sink = await storage.create(`a/exp_6.${mib}.tar`);
      await sink.write(Buffer.alloc(MAX_HEAD_BYTES));
      await sink.write(bytes.subarray(MAX_HEAD_BYTES));
      await sink.finish(bytes.subarray(0, MAX_HEAD_BYTES));
      expect((await read(`a/exp_6.${mib}.tar`)).equals(bytes)).toBe(true);
    },
  );

  test("the bytes of a chunk may be used again once it is written", async () => {
    const chunk = Buffer.from("first");
    const sink = await storage.create("a/exp_2.1.jsonl");
    await sink.write(chunk);
    chunk.write("other");
    await sink.write(chunk);
    await sink.finish();
    expect((await read("a/exp_2.1.jsonl")).toString()).toBe("firstother");
  });

  test("a file that is not finished is absent, and an abort leaves nothing", async () => {
    const sink = await storage.create("a/exp_3.1.jsonl");
    await sink.write(Buffer.alloc(9 * MIB));
    await expect(read("a/exp_3.1.jsonl")).rejects.toThrow(ABSENT);
    await sink.abort();
    await expect(read("a/exp_3.1.jsonl")).rejects.toThrow(ABSENT);
    const left = await server?.client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    expect(left?.Uploads ?? []).toEqual([]);
  });

  test("files of earlier attempts are deleted, except the one to keep and those of other exports", async () => {
    for (const file of ["a/exp_4.1.jsonl", "a/exp_4.2.jsonl", "a/exp_40.1.jsonl"]) {
      await write(file, [Buffer.from(file)]);
    }
    const unfinished = await storage.create("a/exp_4.3.jsonl");
    await unfinished.write(Buffer.alloc(9 * MIB));
    await storage.keepOnly("a/exp_4.", "a/exp_4.2.jsonl");
    await expect(read("a/exp_4.1.jsonl")).rejects.toThrow(ABSENT);
    expect((await read("a/exp_4.2.jsonl")).toString()).toBe("a/exp_4.2.jsonl");
    expect((await read("a/exp_40.1.jsonl")).toString()).toBe("a/exp_40.1.jsonl");
    await expect(unfinished.finish()).rejects.toThrow(/\S/);
    await unfinished.abort();
    await expect(read("a/exp_4.3.jsonl")).rejects.toThrow(ABSENT);
  });

  test("a folder lists its files, complete or not, and a file goes with all of its versions", async () => {
    if (server !== undefined) await server.enableVersions(BUCKET);
    const folderOf = "archive/a/2026-01-1-9";
    const [one, two] = [`${folderOf}/events.1.jsonl.zst`, `${folderOf}/evidence.1.tar`];
    await write(one, [Buffer.from("one")]);
    await write(two, [Buffer.from("two")]);
    const unfinished = await storage.create(`${folderOf}/events.2.jsonl.zst`);
    await unfinished.write(Buffer.alloc(20 * MIB));
    expect((await storage.list(folderOf)).toSorted()).toEqual([
      one,
      `${folderOf}/events.2.jsonl.zst`,
      two,
    ]);
    // A version that another program has left.
    if (server !== undefined) {
      const Key = `in/here/${one}`;
      await server.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: "other" }));
      await server.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
      expect(await storage.list(folderOf)).toContain(one);
    }
    await storage.remove(one);
    await storage.remove(`${folderOf}/events.2.jsonl.zst`);
    await storage.remove(`${folderOf}/nothing.3.tar`);
    expect(await storage.list(folderOf)).toEqual([two]);
    await unfinished.abort();
    expect((await read(two)).toString()).toBe("two");
    const left = (await server?.versions(BUCKET)) ?? [];
    expect(left.filter(({ Key = "" }) => Key.includes("events."))).toEqual([]);
  });

  test("files of earlier attempts are deleted with all of their versions, as is one that is aborted", async () => {
    if (server !== undefined) await server.enableVersions(BUCKET);
    for (const file of ["a/exp_7.1.jsonl", "a/exp_7.2.jsonl", "a/exp_7.3.jsonl"])
      await write(file, [Buffer.from(file)]);
    await server?.client.send(
      new DeleteObjectCommand({ Bucket: BUCKET, Key: "in/here/a/exp_7.1.jsonl" }),
    );
    await storage.keepOnly("a/exp_7.", "a/exp_7.2.jsonl");
    const aborted = await storage.create("a/exp_7.4.jsonl");
    await aborted.write(Buffer.from("aborted"));
    await aborted.finish();
    await aborted.abort();
    expect((await read("a/exp_7.2.jsonl")).toString()).toBe("a/exp_7.2.jsonl");
    const left = ((await server?.versions(BUCKET)) ?? []).filter(({ Key = "" }) =>
      Key.includes("exp_7."),
    );
    expect(left).toHaveLength(server === undefined ? 0 : 1);
    await storage.keepOnly("a/exp_7.", undefined);
    const none = ((await server?.versions(BUCKET)) ?? []).filter(({ Key = "" }) =>
      Key.includes("exp_7."),
    );
    expect(none).toEqual([]);
  });

  test("deleting nothing succeeds", async () => {
    await expect(storage.keepOnly("nobody/exp_9.", undefined)).resolves.toBeUndefined();
  });

  test("an existing file is never overwritten", async () => {
    await write("a/exp_5.1.jsonl", [Buffer.from("first")]);
    await expect(write("a/exp_5.1.jsonl", [Buffer.from("second")])).rejects.toThrow(TAKEN);
    expect((await read("a/exp_5.1.jsonl")).toString()).toBe("first");
  });
});

test.each(KINDS.slice(1))("a %s server that knows no versions loses its files, too", async () => {
  const server = await S3Server.start(SERVER ?? "", await freePort());
  onTestFinished(() => server.close());
  await server.createBucket(BUCKET);
  const { credentials, region } = server;
  const asksVersions = ({ url = "" }) => /[?&]versions/.test(url);
  const endpoint = await server.lacking(asksVersions, "no versions");
  const storage = s3Storage({ bucket: BUCKET, credentials, endpoint, region, prefix: "" });
  onTestFinished(() => storage.close());
  for (const file of ["a/exp_1.1.jsonl", "a/exp_1.2.jsonl", "archive/a/events.1.tar"]) {
    const sink = await storage.create(file);
    await sink.write(Buffer.from(file));
    await sink.finish();
  }
  await storage.keepOnly("a/exp_1.", "a/exp_1.2.jsonl");
  await storage.remove("archive/a/events.1.tar");
  expect((await server.versions(BUCKET)).map(({ Key }) => Key)).toEqual(["a/exp_1.2.jsonl"]);
});

describe.each(KINDS.slice(1))("a %s server without checksums", () => {
  async function openWithout(settings: Readonly<Record<string, string>>): Promise<Storage> {
    const server = await S3Server.start(SERVER ?? "", await freePort());
    onTestFinished(() => server.close());
    await server.createBucket(BUCKET);
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { credentials, region } = server;
    const endpoint = await server.lacking(namesChecksum, "x-amz-checksum is\u0007 not there");
    const storage = s3Storage({ bucket: BUCKET, credentials, endpoint, region, prefix: "" });
    onTestFinished(() => storage.close());
    return storage;
  }

  test.each([1, 12])("has a file of %i MiB where none is required", async (mib) => {
    const storage = await openWithout({
      AWS_REQUEST_CHECKSUM_CALCULATION: "WHEN_REQUIRED",
      AWS_RESPONSE_CHECKSUM_VALIDATION: "WHEN_REQUIRED",
    });
    const bytes = randomBytes(mib * MIB);
    const sink = await storage.create("a/exp_1.1.jsonl");
    await sink.write(bytes);
    await sink.finish();
    const chunks: Uint8Array[] = [];
    const pieces = await storage.read("a/exp_1.1.jsonl", 0, new AbortController().signal);
    for await (const chunk of pieces) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  test.each([1, 12])("refuses a file of %i MiB with its reason by default", async (mib) => {
    const storage = await openWithout({});
    const sink = await storage.create("a/exp_1.1.jsonl");
    const written = sink.write(randomBytes(mib * MIB)).then(() => sink.finish());
    const error = await written.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StorageRefused);
    expect(String(error)).toBe(
      "StorageRefused: the storage refuses the file: 501 NotImplemented: x-amz-checksum is not there",
    );
    await sink.abort();
  });
});
