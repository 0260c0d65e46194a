// The example import: 2,000 real records go in and nothing of them is lost, the chain verifies, a
// second run adds nothing, a rate limit is waited for, and a verifier in another language agrees on
// every event. Run as a person runs it, it shows webhooks arriving and an export verified, and where
// the stack does not allow webhooks to this machine it says how and goes on.

import { CertificateAuthority } from "@annals/certificates";
import { canonicalJson, type JsonValue } from "@annals/event";
import { HttpClient, newAccount } from "@annals/testing";
import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { verifyFile } from "annals-verify";
import { shared, type SharedSystem } from "../system/shared-systems.ts";
import { Client } from "../example/cloudtrail/client.ts";
import { importRecords } from "../example/cloudtrail/import-records.ts";
import { Progress } from "../example/cloudtrail/progress.ts";
import { type CloudTrailRecord, readSample } from "../example/cloudtrail/record.ts";
import { hasPython } from "../system/programs.ts";

const { baseUrl, databaseUrl } = inject("stack");
const VERIFIER = join(import.meta.dirname, "../../packages/sdk-python/src/annals_sdk/verify.py");
const EXAMPLE = join(import.meta.dirname, "../example/cloudtrail/main.ts");
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
  let lines: Line[];

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
    lines = await walk(http);
    const rebuilt = lines.map(({ event }) => canonicalJson(recordOf(event)));
    expect(rebuilt).toEqual(records.map((record) => canonicalJson(record as never)));
  });

  test.runIf(hasPython)("the Python verifier agrees on every event", async () => {
    const file = join(folder, "events.jsonl");
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { status, stdout, stderr } = spawnSync("python3", [VERIFIER, file], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "valid: 2000 events\n",
      stderr: "",
    });
  });
});

describe("run as a person runs it", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "annals-example-"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  test("webhooks arrive and an export is verified, again in a second run that adds nothing", async () => {
    const system = await shared("webhooks");
    await filesOfReceiver(join(dataDir, "example"), system);
    const { key } = await newAccount(system.databaseUrl);
    const at = { baseUrl: system.baseUrls[0] ?? "", key, dataDir };
    for (const added of ["2,000 events; 0", "0 events; 2,000"]) {
      const { code, said } = await runExample(at);
      expect({ code, said }).toMatchObject({ code: 0 });
      expect(said).toContain(`added ${added} were there`);
      expect(said).toMatch(/^webhook event\.verified arrived.*: wh_evt_\w{26}$/m);
      expect(said).toMatch(/^webhook export\.completed arrived.*: wh_evt_\w{26}$/m);
      expect(said).toContain("without the service: 2,000 events, 2,000 links, valid");
      expect(said).not.toMatch(/whsec_|to see webhooks/);
    }
    const http = new HttpClient(at.baseUrl, key);
    expect((await http.get("/v1/webhooks")).body.data).toEqual([]);
    http.close();
  });

  test("a stack that delivers to public addresses only: it says how, and verifies the export", async () => {
    const { key } = await newAccount(databaseUrl);
    const { code, said } = await runExample({ baseUrl, key, dataDir });
    expect({ code, said }).toMatchObject({ code: 0 });
    const caFile = join(dataDir, "example/ca.pem");
    expect(said).toContain(
      "to see webhooks arrive, start the stack with: " +
        `ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES=true ANNALS_WEBHOOK_CA_FILE=${caFile} npm start`,
    );
    // A stack that trusts this file trusts the receiver.
    const [ca, receiver] = await Promise.all(
      [caFile, join(dataDir, "example/receiver.pem")].map((file) => readFile(file, "utf8")),
    );
    const authority = new X509Certificate(ca ?? "");
    expect(new X509Certificate(receiver ?? "").verify(authority.publicKey)).toBe(true);
    const { events, linksUnchecked } = await verifyFile(join(dataDir, "example/export.jsonl"));
    expect({ events, linksUnchecked }).toEqual({ events: 2_000, linksUnchecked: 0 });
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

/** The files that the example would make, with a certificate of the authority that the system trusts. */
async function filesOfReceiver(folder: string, { authority }: SharedSystem): Promise<void> {
  if (authority === undefined) throw new Error("the system trusts no authority");
  const { cert, key } = await (await CertificateAuthority.load(authority)).issue(["127.0.0.1"]);
  await mkdir(folder);
  await writeFile(join(folder, "ca.pem"), authority.cert);
  await writeFile(join(folder, "receiver.pem"), cert);
  await writeFile(join(folder, "receiver-key.pem"), key);
}

/** The example as a process of its own: its exit code and all that it said. */
async function runExample(at: { baseUrl: string; key: string; dataDir: string }) {
  const child = spawn(process.execPath, ["-C", "source", EXAMPLE], {
    env: {
      ANNALS_URL: at.baseUrl,
      ANNALS_KEY: at.key,
      ANNALS_DATA_DIR: at.dataDir,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}

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
