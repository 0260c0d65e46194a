// Guarantee: an object that cannot be read hides no fault of another one, and is never called a fault itself.
// A storage that is overloaded or cuts connections is asked again, a few times. A storage that sends pages or
// faults without end costs bounded requests and bounded memory.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { Manifest } from "@annals/webhook-dispatcher/src/sinks/types/s3/s3-manifest.ts";
import { runSinks } from "annals-verify/sink-command";
import { verifySinks } from "annals-verify/verify-sinks";
import { nameOf, write } from "./made-sink.ts";

const KEY = { AWS_ACCESS_KEY_ID: "some-key", AWS_SECRET_ACCESS_KEY: "some-secret" };
const BUCKET = "/some-bucket/";
const EACH = 5;
const MANIFEST = ".manifest.json";

/** Name of the object with the events from this number on. */
const named = (from: number) => nameOf({ from, to: from + EACH - 1 });

/** The objects of four batches of five events, by their names. */
const objects = await made();

async function made(): Promise<ReadonlyMap<string, Buffer>> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "annals-storage-"));
  let before: Manifest | undefined;
  for (const from of [1, 6, 11, 16])
    before = await write(folder.path, { from, to: from + EACH - 1, before });
  const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Map(paths.map((path) => [relative(folder.path, path), readFileSync(path)]));
}

const without = (...names: string[]) =>
  new Map([...objects].filter(([name]) => !names.includes(name)));

/** A status, or a connection that is cut; undefined for what is there. */
type Failure = number | "cut" | undefined;

interface Storage {
  readonly objects?: ReadonlyMap<string, Buffer>;
  /** The failure of this request for an object, counted from 1. */
  readonly failing?: (name: string, request: number) => Failure;
  /** The content encoding that an object is sent with. */
  readonly encodingOf?: (name: string) => string;
  /** The list, for a number of requests. */
  readonly list?: (request: number) => string;
  readonly maxPages?: number;
}

const contents = (name: string, size: number) =>
  `<Contents><Key>${name}</Key><Size>${size}</Size></Contents>`;

/** Verifies a storage, and says how often each object was asked for, and what was waited. */
async function verify({ encodingOf, failing, list, maxPages, objects: own = objects }: Storage) {
  const asked = new Map<string, number>();
  const waits: number[] = [];
  const all = Array.from(own, ([name, bytes]) => contents(name, bytes.length)).join("");
  const send = (response: ServerResponse, name: string, request: number): void => {
    const failure = failing?.(name, request);
    if (failure === "cut") response.socket?.destroy();
    else if (failure !== undefined) response.writeHead(failure).end();
    else if (name === "")
      response.end(`<ListBucketResult>${list?.(request) ?? all}</ListBucketResult>`);
    else {
      const encoding = encodingOf?.(name);
      if (encoding !== undefined) response.setHeader("content-encoding", encoding);
      const bytes = own.get(name) ?? "";
      response.end(encoding === "gzip" ? gzipSync(bytes) : bytes);
    }
  };
  const server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    const name = decodeURIComponent(path.slice(BUCKET.length));
    asked.set(name, (asked.get(name) ?? 0) + 1);
    send(response, name, asked.get(name) ?? 0);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const outcome = await runSinks({
    path: "s3://some-bucket",
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    environment: () => KEY,
    maxPages,
    wait: async (ms) => waits.push(ms),
    onProgress: () => {},
  });
  return { asked, outcome, waits };
}

const changed = new Map(objects).set(named(1), Buffer.alloc(objects.get(named(1))?.length ?? 0));

test("all that is there is valid", async () => {
  expect((await verify({})).outcome).toEqual({
    valid: expect.stringContaining("valid: 20 events"),
  });
});

test("an object that is gone when it is read is missing", async () => {
  const { outcome } = await verify({ failing: (name) => (name === named(6) ? 404 : undefined) });
  expect(outcome).toEqual({ invalid: expect.stringMatching(/^"[^"]*6-10.jsonl.zst" is missing$/) });
});

test.each(["gzip", "zstd"])("an object that is sent as %s is not checked", async (encoding) => {
  const encodingOf = (name: string) => (name === named(6) ? encoding : "identity");
  const { outcome } = await verify({ encodingOf });
  expect(outcome).toEqual({
    notChecked: expect.stringContaining(`6-10.jsonl.zst" cannot be read (GET http:`),
  });
  expect(JSON.stringify(outcome)).toContain(
    `has the content encoding ${encoding}, with which its bytes are not those of the object`,
  );
});

test("storage that keeps the content encoding of an upload is read", async () => {
  const { outcome } = await verify({ encodingOf: () => "aws-chunked" });
  expect(outcome).toEqual({ valid: expect.stringContaining("valid: 20 events") });
});

test("an object that cannot be read is not checked", async () => {
  const { outcome } = await verify({ failing: (name) => (name === named(6) ? 403 : undefined) });
  expect(outcome).toEqual({
    notChecked: expect.stringMatching(
      /^"[^"]*6-10.jsonl.zst" cannot be read \(GET http:.*: the response has status 403\)$/,
    ),
  });
});

test("the fault of another object is said, and before that", async () => {
  const failing = (name: string) => (name === named(6) ? 403 : undefined);
  const { outcome } = await verify({ objects: changed, failing });
  expect(outcome).toEqual({
    invalid: expect.stringMatching(
      /1-5.jsonl.zst" was changed: .*\nnot checked: ".*6-10.jsonl.zst" /,
    ),
  });
});

test("a manifest that cannot be read is not called missing", async () => {
  const { outcome } = await verify({
    failing: (name) => (name === named(6) + MANIFEST ? 403 : undefined),
  });
  expect(outcome).toEqual({
    notChecked: expect.stringMatching(
      /6-10.jsonl.zst.manifest.json" cannot be .*\nnot checked: .*manifest 2 is missing or could not be read, after event 5/s,
    ),
  });
});

test("more manifests that are not there than could not be read are missing", async () => {
  const { outcome } = await verify({
    objects: without(named(11) + MANIFEST),
    failing: (name) => (name === named(6) + MANIFEST ? 403 : undefined),
  });
  expect(outcome).toEqual({
    invalid: expect.stringMatching(
      /manifests 2 to 3 are missing, after event 5, .*\nnot checked: /s,
    ),
  });
});

test("a manifest that could not be read may be the one that another names", async () => {
  const name = named(11) + MANIFEST;
  const other = new Map(objects).set(
    name,
    Buffer.concat([objects.get(name) ?? Buffer.alloc(0), Buffer.from(" ")]),
  );
  expect((await verify({ objects: other })).outcome).toEqual({
    invalid: expect.stringMatching(/manifest 3 is not the one that manifest 4 names: it was /),
  });
  const failing = (each: string) => (each === named(1) + MANIFEST ? 403 : undefined);
  expect((await verify({ objects: other, failing })).outcome).toEqual({
    notChecked: expect.stringMatching(/manifest 3 is not the one that manifest 4 names: that may /),
  });
});

test.each<Failure>([500, 503, "cut"])("%s: asked again, with backoff", async (failure) => {
  const failing = (name: string, request: number) =>
    (name === named(6) || name === "") && request <= 3 ? failure : undefined;
  const { outcome, waits } = await verify({ failing });
  expect(outcome).toEqual({ valid: expect.any(String) });
  expect(waits).toEqual([200, 400, 800, 200, 400, 800]);
});

test.each<Failure>([400, 403, 404, 501])("%s: not asked again", async (failure) => {
  const { asked, waits } = await verify({
    failing: (name) => (name === named(6) ? failure : undefined),
  });
  expect([asked.get(named(6)), waits]).toEqual([1, []]);
});

test("a storage that is gone costs bounded retries", async () => {
  const names = Array.from({ length: 150 }, (_, n) => `${n}.jsonl.zst${MANIFEST}`);
  const { asked, outcome, waits } = await verify({
    objects: new Map(names.map((name) => [name, Buffer.from("{}")])),
    failing: (name) => (name === "" ? undefined : 503),
  });
  expect(outcome).toEqual({ notChecked: expect.stringMatching(/\nnot checked: and 50 more$/) });
  expect([waits.length, asked.get(names[0] ?? "")]).toEqual([300, 4]);
});

test("pages without end are not checked", async () => {
  const { asked, outcome } = await verify({
    maxPages: 40,
    list: (request) =>
      `${contents("a", 1)}<IsTruncated>true</IsTruncated><NextContinuationToken>${request}</NextContinuationToken>`,
  });
  expect(outcome).toEqual({ notChecked: "the list has over 40 pages: give a longer prefix" });
  expect(asked.get("")).toBe(40);
});

test(
  "faults of more objects than a call has arguments are counted, and the first are kept",
  { timeout: 120_000 },
  async () => {
    const count = 130_000;
    // The stacks of so many errors take longer than all else.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
    const template = String(objects.get(named(6) + MANIFEST));
    const [object] = /"object":"([^"]*)"/.exec(template)?.slice(1) ?? [];
    const files = Array.from({ length: count }, (_, n) => {
      const name = `${n}/${object}${MANIFEST}`;
      const bytes = Buffer.from(template.replace(/"number":\d+/, `"number":${n + 2}`));
      return { name, path: `/${name}`, size: bytes.length, read: async () => bytes };
    });
    const { findings, sinks } = await verifySinks({ name: "many", list: async () => files });
    expect(sinks).toMatchObject([{ from: 6, to: 10, newest: count + 1 }]);
    // Each object is missing, and so are manifest 1 and all that the manifests name.
    expect(findings.faults.count).toBe(2 * count);
    expect(findings.faults.shown.length).toBe(101);
    expect(findings.faults.shown.at(-1)).toBe(`and ${2 * count - 100} more`);
  },
);
