// Guarantees of both storages: a file is complete under its name or absent, it can be read from any offset,
// it is never overwritten, and files of earlier attempts are deleted. S3 is tested against a real
// S3-compatible server where there is one: ANNALS_TEST_S3_SERVER names a versitygw binary, or it is on the
// PATH. The run prints which.

import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import { freePort } from "@annals/local";
import { eventually } from "@annals/testing";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directoryStorage } from "./directory-storage.ts";
import { s3Storage } from "./s3-storage.ts";
import { MAX_HEAD_BYTES, type Storage } from "./storage.ts";

const SERVER = process.env["ANNALS_TEST_S3_SERVER"] ?? onPath("versitygw");
const KINDS = SERVER === undefined ? ["directory"] : ["directory", "S3"];
const BUCKET = "exports";
const MIB = 1024 * 1024;
/** Errors of the operating system and of S3. */
const ABSENT = /ENOENT|does not exist|upload/i;
const TAKEN = /EEXIST|pre-?condition/i;

process.stdout.write(`storage tests ran with: ${KINDS.join(", ")}\n`);

function onPath(name: string): string | undefined {
  try {
    return execFileSync("which", [name], { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

describe.each(KINDS)("%s", (kind) => {
  let folder: string;
  let server: ChildProcess | undefined;
  let client: S3Client | undefined;
  let storage: Storage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "annals-storage-"));
    if (kind === "directory") {
      storage = directoryStorage(join(folder, "made"));
      return;
    }
    const [access, secret, port] = ["test", randomBytes(12).toString("hex"), await freePort()];
    await mkdir(join(folder, "data"));
    server = spawn(
      SERVER ?? "",
      [
        "--access",
        access,
        "--secret",
        secret,
        "--port",
        `127.0.0.1:${port}`,
        "posix",
        join(folder, "data"),
      ],
      { stdio: "ignore" },
    );
    const endpoint = `http://127.0.0.1:${port}`;
    process.env["AWS_ACCESS_KEY_ID"] = access;
    process.env["AWS_SECRET_ACCESS_KEY"] = secret;
    const s3 = new S3Client({ region: "us-east-1", endpoint, forcePathStyle: true });
    client = s3;
    await eventually("the server is ready", async () => {
      await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
      return true;
    });
    storage = s3Storage({ bucket: BUCKET, endpoint, region: "us-east-1", prefix: "in/here/" });
  });

  afterAll(async () => {
    storage.close();
    client?.destroy();
    if (server) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
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
    const left = await client?.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
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

  test("deleting nothing succeeds", async () => {
    await expect(storage.keepOnly("nobody/exp_9.", undefined)).resolves.toBeUndefined();
  });

  test("an existing file is never overwritten", async () => {
    await write("a/exp_5.1.jsonl", [Buffer.from("first")]);
    await expect(write("a/exp_5.1.jsonl", [Buffer.from("second")])).rejects.toThrow(TAKEN);
    expect((await read("a/exp_5.1.jsonl")).toString()).toBe("first");
  });
});
