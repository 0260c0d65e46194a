// A real server of S3-compatible storage with object lock, versitygw: a named one, the one on the PATH, or
// one that Go builds once per checkout, unmodified, from the Go module proxy. It can be stopped, and started
// again with what it has.

import type { ObjectVersion, S3Client } from "@aws-sdk/client-s3";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";

const VERSION = "v1.8.0";
const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/annals");
const BUILT_WITHIN_MS = 300_000;
const REGION = "us-east-1";

const run = promisify(execFile);

/** The program. Rejects, and names the reason, if it is not there and cannot be built. */
export async function findS3Server(env = process.env): Promise<string> {
  const given = env["ANNALS_TEST_S3_SERVER"];
  if (given !== undefined) return given;
  const own = join(CACHE, `versitygw-${VERSION}`);
  const onPath = (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "versitygw"));
  const found = [...onPath, own].find((file) => existsSync(file));
  if (found !== undefined) return found;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "versitygw-"));
  try {
    const built = { ...env, GOBIN: folder, GOFLAGS: "-mod=mod" };
    await run("go", ["install", MODULE], { env: built, timeout: BUILT_WITHIN_MS });
    await rename(join(folder, "versitygw"), own);
    return own;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Whether a request names a checksum of S3, of what is sent or of what is wanted. */
export function namesChecksum({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return Object.keys(headers).some((name) =>
    /^x-amz-(?:checksum-|sdk-checksum-|trailer$)/.test(name),
  );
}

export class S3Server {
  readonly credentials = { accessKeyId: "test", secretAccessKey: randomBytes(12).toString("hex") };
  readonly region = REGION;
  readonly endpoint: string;
  readonly #program: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #client: S3Client;
  readonly #fronts: Server[] = [];
  #process: ChildProcess | undefined;

  private constructor(program: string, folder: string, port: number, client: typeof S3Client) {
    [this.#program, this.#folder, this.#port] = [program, folder, port];
    this.endpoint = `http://127.0.0.1:${port}`;
    const { endpoint, region } = this;
    // The SDK adds members of its own to the object.
    const credentials = { ...this.credentials };
    const options = { credentials, endpoint, region, forcePathStyle: true, maxAttempts: 1 };
    this.#client = new client(options);
  }

  /** Serves a folder of its own on a free port. */
  static async start(program: string, port: number): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), "annals-s3-"));
    for (const name of ["data", "versions"]) await mkdir(join(folder, name));
    const { S3Client: client } = await import("@aws-sdk/client-s3");
    const server = new S3Server(program, folder, port, client);
    await server.resume();
    return server;
  }

  async resume(): Promise<void> {
    const { accessKeyId, secretAccessKey } = this.credentials;
    const { ListBucketsCommand } = await import("@aws-sdk/client-s3");
    this.#process = spawn(
      this.#program,
      [
        `--access=${accessKeyId}`,
        `--secret=${secretAccessKey}`,
        `--port=127.0.0.1:${this.#port}`,
        "posix",
        `--versioning-dir=${join(this.#folder, "versions")}`,
        join(this.#folder, "data"),
      ],
      { stdio: "ignore" },
    );
    await eventually("the storage is ready", () => this.#client.send(new ListBucketsCommand({})));
  }

  /** Ends its process. Its objects stay. */
  async pause(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /**
   * The endpoint of the same storage as one that answers 501 to some requests, as storage does that lacks
   * versions or checksums.
   */
  async lacking(isRefused: (asked: IncomingMessage) => boolean, why: string): Promise<string> {
    const front = createServer((asked, answer) => {
      const { headers, method, url: path } = asked;
      if (isRefused(asked)) {
        asked.resume();
        answer.writeHead(501, { "content-type": "application/xml" });
        answer.end(`<Error><Code>NotImplemented</Code><Message>${why}</Message></Error>`);
        return;
      }
      const to = { host: "127.0.0.1", port: this.#port, method, path, headers };
      const passed = request(to, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      asked.pipe(passed);
    });
    this.#fronts.push(front);
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#client.destroy();
    for (const front of this.#fronts) {
      front.closeAllConnections();
      front.close();
    }
    await this.pause();
    await rm(this.#folder, { recursive: true });
  }

  /** A client of it, for what is not here. */
  get client(): S3Client {
    return this.#client;
  }

  async createBucket(Bucket: string, { isLocked = false } = {}): Promise<void> {
    const { CreateBucketCommand } = await import("@aws-sdk/client-s3");
    const more = { ObjectLockEnabledForBucket: isLocked };
    await this.#client.send(new CreateBucketCommand({ Bucket, ...more }));
  }

  /** Makes the bucket keep each version of an object. */
  async enableVersions(Bucket: string): Promise<void> {
    const { PutBucketVersioningCommand } = await import("@aws-sdk/client-s3");
    const VersioningConfiguration = { Status: "Enabled" } as const;
    await this.#client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  }

  /** All versions of all objects of a bucket, newest first for each key. */
  async versions(Bucket: string): Promise<ObjectVersion[]> {
    const { ListObjectVersionsCommand } = await import("@aws-sdk/client-s3");
    const { Versions = [] } = await this.#client.send(new ListObjectVersionsCommand({ Bucket }));
    return Versions;
  }

  async put(Bucket: string, Key: string, Body: Uint8Array): Promise<void> {
    const { PutObjectCommand } = await import("@aws-sdk/client-s3");
    await this.#client.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  /** Undefined: there is no such object. Reads the newest version by default. */
  async read(Bucket: string, Key: string, VersionId?: string): Promise<Buffer | undefined> {
    const { GetObjectCommand } = await import("@aws-sdk/client-s3");
    try {
      const object = new GetObjectCommand({ Bucket, Key, VersionId });
      const { Body } = await this.#client.send(object);
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    } catch (error) {
      if (error instanceof Error && error.name === "NoSuchKey") return undefined;
      throw error;
    }
  }
}
