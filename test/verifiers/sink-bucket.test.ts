// Guarantee: `annals-verify s3://bucket/prefix` says of the bucket of a sink what it says of a copy of it. It
// reads all pages of the list, takes no more of a response than its bound, and shows no credential, whatever
// the storage answers. It is tested against a real S3-compatible server, which Go builds if it is not there,
// and against servers that answer what no storage does.

import { freePort } from "@annals/local";
import { findS3Server, S3Server } from "@annals/testing";
import type { Manifest } from "@annals/webhook-dispatcher/src/sinks/types/s3/s3-manifest.ts";
import { execFile } from "node:child_process";
import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { leaveOut } from "../system/needs.ts";
import { nameOf, write } from "./made-sink.ts";

const found = await findS3Server().catch((error: Error) => error);
const SERVERS = typeof found === "string" ? [found] : [];
const COMMAND = fileURLToPath(
  new URL("../../packages/annals-verify/bin/annals-verify.mjs", import.meta.url),
);
const BUCKET = "siem";
const PREFIX = "logs & more/";
/** More than a page has. */
const OTHERS = 1_001;
const KEY = { AWS_ACCESS_KEY_ID: "some-key", AWS_SECRET_ACCESS_KEY: "s3cr3t/access+key" };
const TOKEN = "s3cr3t-session-token";

if (typeof found !== "string") leaveOut("programs built with Go", found.message);

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function verify(words: readonly string[], environment: Record<string, string> = {}) {
  const { PATH = "" } = process.env;
  return new Promise<Ended>((resolve) => {
    const options = { env: { PATH, ...environment } };
    execFile(process.execPath, [COMMAND, ...words], options, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test("the storage is there, or it is said why not", () => {
  expect(typeof found === "string" ? found : found.message).not.toBe("");
});

describe.each(SERVERS)("with %s", (program) => {
  let server: S3Server;
  let environment: Record<string, string>;

  beforeAll(async () => {
    server = await S3Server.start(program, await freePort());
    const { credentials, endpoint, region } = server;
    environment = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: region,
      AWS_ENDPOINT_URL: endpoint,
    };
    await server.createBucket(BUCKET);
    using folder = mkdtempDisposableSync(join(tmpdir(), "annals-bucket-"));
    let before: Manifest | undefined;
    for (const from of [1, 11, 21])
      before = await write(folder.path, { from, to: from + 9, before });
    for (const entry of readdirSync(folder.path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      await server.put(BUCKET, PREFIX + relative(folder.path, path), readFileSync(path));
    }
    for (let from = 0; from < OTHERS; from += 91) {
      const names = Array.from({ length: 91 }, (_, at) => `${PREFIX}a/${from + at}`);
      await Promise.all(names.map((name) => server.put(BUCKET, name, Buffer.from("."))));
    }
  });
  afterAll(() => server.close());

  const address = `s3://${BUCKET}/${PREFIX}`;

  test("what the service writes is valid, behind more objects than a page has", async () => {
    const ended = await verify([address], environment);
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout).toContain('valid: 30 events of "acct_1" by "sink_1"');
    expect(ended.stdout).toContain("30 hashes recomputed, 0 not");
  });

  test("--endpoint goes before the environment", async () => {
    const elsewhere = { ...environment, AWS_ENDPOINT_URL: "http://127.0.0.1:1" };
    const words = [address, "--endpoint", server.endpoint];
    expect(await verify(words, elsewhere)).toMatchObject({ status: 0 });
    expect(await verify([address], elsewhere)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^not checked: GET http:..127\.0\.0\.1:1.siem/),
    });
  });

  test("a bucket without a manifest, and one that is not there, are not checked", async () => {
    expect(await verify([`s3://${BUCKET}/other/`], environment)).toEqual({
      status: 2,
      stdout: "",
      stderr: `not checked: "s3://${BUCKET}/other/" has no manifest of a sink\n`,
    });
    expect(await verify(["s3://absent"], environment)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^not checked: GET .*absent.*: the response has status 404\n$/),
    });
  });

  test("a wrong secret is not checked, and not shown", async () => {
    const { status, stderr } = await verify([address], {
      ...environment,
      AWS_SECRET_ACCESS_KEY: "s3cr3t",
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining("has status 403")]);
    expect(stderr).not.toContain("s3cr3t");
  });

  test("an object that is changed, cut off, swapped or missing is named", async () => {
    const [one, two, three] = [1, 11, 21].map((from) => PREFIX + nameOf({ from, to: from + 9 }));
    const bytes = (await server.read(BUCKET, one ?? "")) ?? Buffer.alloc(0);
    await server.put(BUCKET, one ?? "", Buffer.from(bytes).fill(0, 100, 101));
    await server.put(BUCKET, two ?? "", bytes.subarray(0, 50));
    await server.put(BUCKET, `${three}.manifest.json`, Buffer.from("{}"));
    const { status, stderr } = await verify([address], environment);
    expect(status).toBe(1);
    const faults = stderr.trimEnd().split("\n").toSorted();
    expect(faults).toEqual([
      expect.stringMatching(/1-10\.jsonl\.zst" was changed: its SHA-256 is another$/),
      expect.stringMatching(/11-20\.jsonl\.zst" was cut off: it has 50 bytes of \d+$/),
      expect.stringMatching(/21-30\.jsonl\.zst\.manifest\.json" .*the manifest has no member/),
    ]);
    expect(faults[0]).toMatch(/^invalid: "s3:\/\/siem\/logs & more\/annals\/v1\//);
  });
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers each request in this way. */
async function answering(answer: Answer): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const list = (content: string) => `<ListBucketResult>${content}</ListBucketResult>`;
const MIB = Buffer.alloc(1024 * 1024, 0x20);

/** Sends without end, until the client is gone. */
const endless: Answer = (_, response) => {
  const send = (): void => {
    while (!response.destroyed && response.write(MIB));
  };
  response.on("drain", send);
  send();
};

const object = "annals/v1/account=acct_1/day=2026-01-01/1-10.jsonl.zst.manifest.json";
const OTHER = "<Contents><Key>a</Key><Size>1</Size></Contents>";
const NEXT = "<NextContinuationToken>1</NextContinuationToken>";
const HOSTILE: readonly [name: string, answer: Answer, message: RegExp][] = [
  ["a list without end", endless, /the response has over 8388608 bytes/],
  [
    "an object without end",
    (request, response) => {
      if (!request.url?.includes("list-type")) endless(request, response);
      else response.end(list(`<Contents><Key>${object}</Key><Size>1000</Size></Contents>`));
    },
    /the response has over 1000 bytes/,
  ],
  [
    "the same page again and again",
    (_, response) => response.end(list(`${OTHER}<IsTruncated>true</IsTruncated>${NEXT}`)),
    /answers with the same page again/,
  ],
  [
    "a list that is cut off",
    (_, response) => response.end(list("<IsTruncated>true</IsTruncated>")),
    /is not complete/,
  ],
  [
    "an object of no size",
    (_, response) => response.end(list("<Contents><Key>a</Key><Size>-1</Size></Contents>")),
    /cannot be read/,
  ],
  [
    "an empty page that another follows",
    (_, response) => response.end(list(`<IsTruncated>true</IsTruncated>${NEXT}`)),
    /is not complete/,
  ],
  [
    "a page of beginnings of objects",
    (_, response) => response.end(list("<Contents>".repeat(800_000))),
    /cannot be read/,
  ],
  [
    "a page of more objects than a call has arguments",
    (_, response) => response.end(list(OTHER.repeat(170_000))),
    /has no manifest of a sink/,
  ],
  [
    "an object with half of a character in its name",
    (_, response) => response.end(list(OTHER.replace("a<", `${object}&#xD800;/${object}<`))),
    /the list of the storage cannot be read/,
  ],
  [
    "half of a character as the name of the next page",
    (_, response) =>
      response.end(list(`${OTHER}<IsTruncated>true</IsTruncated>${NEXT.replace("1", "&#xDFFF;")}`)),
    /the list of the storage cannot be read/,
  ],
  [
    "a longer name than that of any object",
    (_, response) => response.end(list(OTHER.replace("a<", `${"a".repeat(1_025)}<`))),
    /the list of the storage cannot be read/,
  ],
  ["no list", (_, response) => response.end("<Error>s3cr3t</Error>"), /answers with no list/],
  [
    "a redirect to another host",
    (_, response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    /the response has status 307/,
  ],
];

test.each(HOSTILE)("%s: not checked, and no credential is shown", async (_, answer, expected) => {
  const asked: IncomingMessage["headers"][] = [];
  const endpoint = await answering((request, response) => {
    asked.push(request.headers);
    answer(request, response);
  });
  const environment = { ...KEY, AWS_SESSION_TOKEN: TOKEN };
  const ended = await verify(["s3://some-bucket", "--endpoint", endpoint], environment);
  expect([ended.status, ended.stdout]).toEqual([2, ""]);
  expect(ended.stderr).toMatch(expected);
  expect(ended.stderr).not.toMatch(/s3cr3t|some-key|Signature/);
  expect(asked[0]).toMatchObject({ "x-amz-security-token": TOKEN });
  expect(JSON.stringify(asked)).not.toContain(KEY.AWS_SECRET_ACCESS_KEY);
});

test("the name of an object writes nothing on the terminal", async () => {
  const key = `&#x1b;[2K${object}`;
  const endpoint = await answering((request, response) => {
    if (!request.url?.includes("list-type")) response.end("{}");
    else response.end(list(`<Contents><Key>${key}</Key><Size>2</Size></Contents>`));
  });
  const { status, stderr } = await verify(["s3://some-bucket", "--endpoint", endpoint], KEY);
  expect(status).toBe(1);
  expect(stderr).toContain(String.raw`\u001b[2K`);
  expect(stderr).not.toContain("\u001B");
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  ["no credentials", ["s3://some-bucket"], {}, /AWS_ACCESS_KEY_ID and AWS_SECRET.* are not set/],
  ["no bucket", ["s3:///prefix"], KEY, /"s3:\/\/\/prefix" is not the address of a bucket/],
  ["an invalid region", ["s3://some-bucket"], { ...KEY, AWS_REGION: "/" }, /AWS_REGION/],
  [
    "a key with a line break",
    ["s3://some-bucket"],
    { ...KEY, AWS_ACCESS_KEY_ID: "s3cr3t\nkey" },
    /has other characters than a key/,
  ],
  [
    "an endpoint with a user",
    ["s3://some-bucket", "--endpoint", "https://s3cr3t@example.com"],
    KEY,
    /the endpoint is not an http or https URL without a user/,
  ],
  ["an endpoint for a file", ["x", "--endpoint", "http://a"], KEY, /--endpoint is for s3:/],
])("%s: not checked", async (_, words, environment, expected) => {
  const { status, stderr } = await verify(words, environment);
  expect(status).toBe(2);
  expect(stderr).toMatch(expected);
  expect(stderr).not.toContain("s3cr3t");
});
