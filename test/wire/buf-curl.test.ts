// Guarantee: what a person uses in an emergency works: `buf curl` with the repository's
// .proto files calls each service over gRPC and over Connect, and gets JSON or a plain refusal.

import { systemClock } from "@annals/contract";
import { newAccount } from "@annals/testing";
import { certificateFiles } from "@annals/certificates";
import { execFile } from "node:child_process";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { admission, type Endpoint, endpointsOf, filesOf, stockClient } from "../system/services.ts";
import { shared, type SharedSystem } from "../system/shared-systems.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PROTOCOLS = ["grpc", "connect"] as const;

const BUF = resolve(ROOT, "node_modules/.bin/buf");
const run = promisify(execFile);
const folder = mkdtempDisposableSync(join(tmpdir(), "annals-buf-"));
/** The .proto files, compiled once and not by each call. */
const IMAGE = join(folder.path, "proto.binpb");

let stack: SharedSystem;
let endpoints: Endpoint[];
beforeAll(async () => {
  await run(BUF, ["build", "proto", "-o", IMAGE], { cwd: ROOT });
  stack = await shared("one");
  endpoints = endpointsOf(stack);
});
afterAll(() => folder.remove());

/** Resolves to the answer; rejects with what buf printed on standard error in `stderr`. */
async function bufCurl(
  protocol: (typeof PROTOCOLS)[number],
  { url, serverName }: Target,
  request: object,
  { schema = IMAGE, statement = "" } = {},
): Promise<Record<string, unknown>> {
  const { ca, cert, key } = certificateFiles(stack.certificates, "gateway");
  const options = ["--schema", schema, "--protocol", protocol, "--servername", serverName];
  options.push("--cacert", ca, "--cert", cert, "--key", key);
  if (statement !== "") options.push("-H", `annals-admission: ${statement}`);
  const words = ["curl", ...options, "-d", JSON.stringify(request), `https://${url}`];
  const { stdout } = await run(BUF, words, { cwd: ROOT });
  return JSON.parse(stdout);
}

interface Target {
  readonly url: string;
  readonly serverName: string;
}

const targetOf = (name: string, rpc: string, typeName?: string): Target => {
  const found = endpoints.find(({ process }) => process.service === name);
  const url = `${found?.address}/${typeName ?? found?.service.typeName}/${rpc}`;
  return { url, serverName: `${name}.annals.internal` };
};

/** An account, and the statement of an admission by its key. */
async function admittedAccount() {
  const account = await newAccount(stack.databaseUrl);
  const endpoint = endpoints.find(({ process }) => process.service === "keys")!;
  const keys = stockClient(endpoint, filesOf(stack, "gateway"));
  const statement = await admission(keys, account.key).finally(() => keys.close());
  return { ...account, statement };
}

describe.each(PROTOCOLS)("over %s", (protocol) => {
  test("the health of every service", async () => {
    for (const { process, service } of endpoints) {
      const target = targetOf(process.service, "Check", "grpc.health.v1.Health");
      const answer = await bufCurl(protocol, target, { service: service.typeName });
      expect(answer).toStrictEqual({ status: "SERVING" });
    }
  });

  test("keys: a key is listed", async () => {
    const { accountId, keyId, statement } = await admittedAccount();
    const target = targetOf("keys", "ListApiKeys");
    // As a person types it, with the .proto files themselves.
    const options = { schema: "proto", statement };
    const answer = await bufCurl(protocol, target, { accountId, limit: 1 }, options);
    expect(answer).toMatchObject({ apiKeys: [{ id: keyId, name: "test" }] });
  });

  test("ledger: an event is stored and found", async () => {
    const { accountId, statement } = await admittedAccount();
    const at = systemClock().nowText();
    const eventsJson = Buffer.from('[{"action":"curl","metadata":{"a":1}}]').toString("base64");
    const stored = await bufCurl(protocol, targetOf("ledger", "CreateEvents"), {
      appends: [{ accountId, receivedAt: at, eventsJson }],
      admissions: [statement],
    });
    expect(stored).toMatchObject({ outcomes: [{ stored: { firstSequenceNumber: "1" } }] });
    const listed = await bufCurl(
      protocol,
      targetOf("ledger", "ListEvents"),
      { accountId, limit: 5 },
      { statement },
    );
    expect(listed).toMatchObject({ events: [{ action: "curl", metadata: '{"a":1}' }] });
  });

  test("a call for an account without a statement is refused", async () => {
    const { accountId } = await newAccount(stack.databaseUrl);
    for (const rpc of ["GetEvent", "VerifyChain"]) {
      const refused = bufCurl(protocol, targetOf("ledger", rpc), { accountId });
      await expect(refused).rejects.toMatchObject({
        stderr: expect.stringContaining("permission_denied"),
      });
    }
  });

  test("a refusal says why", async () => {
    const { accountId, statement } = await admittedAccount();
    const request = { accountId, id: "evt_none" };
    const refused = bufCurl(protocol, targetOf("ledger", "GetEvent"), request, { statement });
    await expect(refused).rejects.toMatchObject({
      stderr: expect.stringMatching(/"not_found"[^]*No event has the id/),
    });
  });
});
