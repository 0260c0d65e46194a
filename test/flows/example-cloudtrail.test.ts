// The example import: 2,000 real records go in and nothing of them is lost, the chain verifies, a
// second run adds nothing, a rate limit is waited for, and a verifier in another language agrees on
// every event.

import { canonicalJson, type JsonValue } from "@annals/chain";
import { HttpClient, newAccount } from "@annals/testing";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Client } from "../example/cloudtrail/client.ts";
import { importRecords } from "../example/cloudtrail/import-records.ts";
import { Progress } from "../example/cloudtrail/progress.ts";
import { type CloudTrailRecord, readSample } from "../example/cloudtrail/record.ts";

const { baseUrl, databaseUrl } = inject("stack");
const VERIFIER = join(import.meta.dirname, "../verifiers/verify_chain.py");
const NO_WAIT = async (): Promise<void> => {};

interface Line {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
  readonly event: any;
  readonly proof: object;
}

describe("2,000 records", () => {
  let http: HttpClient;
  let records: CloudTrailRecord[];
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    const { key } = await newAccount(databaseUrl);
    http = new HttpClient(baseUrl, key);
    client = new Client({ baseUrl, key, wait: NO_WAIT });
    records = await readSample();
    folder = await mkdtemp(join(tmpdir(), "annals-example-"));
  });
  afterAll(async () => {
    http.close();
    await rm(folder, { recursive: true });
  });

  test("all are added, and the chain verifies", async () => {
    const seen: number[] = [];
    const imported = await importRecords(client, records, (done) => seen.push(done));
    expect(imported).toEqual({ added: 2_000, known: 0 });
    expect(seen).toHaveLength(20);
    const { body } = await http.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true, checked: 2_000, first_invalid: null });
  });

  test("a second run adds nothing", async () => {
    const imported = await importRecords(client, records, () => {});
    expect(imported).toEqual({ added: 0, known: 2_000 });
    const { body } = await http.get("/v1/verify");
    expect(body.data).toMatchObject({ valid: true, checked: 2_000 });
  });

  test("each record can be put together again from its event", async () => {
    const lines = await walk(http);
    const rebuilt = lines.map(({ event }) => canonicalJson(recordOf(event)));
    expect(rebuilt).toEqual(records.map((record) => canonicalJson(record as never)));
  });

  test("the Python verifier agrees on every event", async () => {
    const file = join(folder, "events.jsonl");
    const lines = await walk(http);
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { error, status, stdout, stderr } = spawnSync("python3", [VERIFIER, file], {
      encoding: "utf8",
    });
    if (error) return expect(error).toMatchObject({ code: "ENOENT" });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "valid: 2000 events\n",
      stderr: "",
    });
  });
});

test("a rate limit is waited for as long as it says", async () => {
  const answers = [429, 429, 201];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(answers.shift() ?? 500, { "retry-after": "17" }).end("{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const waits: number[] = [];
  const client = new Client({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    key: "none",
    wait: async (ms) => void waits.push(ms),
  });
  const [record] = await readSample();
  try {
    const imported = await importRecords(client, record ? [record] : [], () => {});
    expect(imported).toEqual({ added: 1, known: 0 });
    expect(waits).toEqual([17_000, 17_000]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test.for([
  {
    isTTY: false,
    shown: ["1 of 4 records\n", "2 of 4 records\n", "3 of 4 records\n", "4 of 4 records\n"],
  },
  {
    isTTY: true,
    shown: [1, 2, 3, 4].map(
      (done) =>
        `\r${"█".repeat(done * 10).padEnd(40, "░")} ${done} of 4 records` +
        (done === 4 ? "\n" : ""),
    ),
  },
])("progress where a terminal is $isTTY", ({ isTTY, shown }) => {
  const written: string[] = [];
  const progress = new Progress({ isTTY, write: (text) => written.push(text) }, 4);
  for (const done of [1, 2, 3, 4]) progress.show(done);
  expect(written).toEqual(shown);
});

/** Every event of the account with its proof, in the order of the chain. */
async function walk(http: HttpClient): Promise<Line[]> {
  const lines: Line[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const from: string = cursor && `&cursor=${cursor}`;
    const { body } = await http.get(`/v1/events?include=proof&order=asc&limit=100${from}`);
    body.data.forEach((event: unknown, at: number) =>
      lines.push({ event, proof: body.proofs[at] }),
    );
    cursor = body.next_cursor;
  }
  return lines;
}

/** The mapping backwards. */
function recordOf({
  action,
  actor,
  target,
  context,
  diff,
  metadata,
  occurred_at,
}: Line["event"]): JsonValue {
  return {
    ...metadata,
    eventName: action.slice(action.indexOf(".") + 1),
    eventTime: occurred_at.replace(".000000Z", "Z"),
    userIdentity: actor.meta,
    sourceIPAddress: context.ip,
    userAgent: context.user_agent,
    awsRegion: context.region,
    ...(diff.after !== undefined && { responseElements: diff.after }),
    ...(target.meta !== undefined && target.meta),
  };
}
