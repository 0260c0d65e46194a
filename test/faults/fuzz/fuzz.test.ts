// Guarantee: whatever is sent to an operation, sound or hostile, the answer is one that the served OpenAPI
// document describes, is never 5xx, and accepts nothing that the document does not allow.

import { V1 } from "@annals/gateway/src/v1.ts";
import type { Stack } from "@annals/local";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { writeIdentityFile } from "../../system/identity-file.ts";
import { dereferenced, operationsOf } from "../../system/openapi-document.ts";
import { startConstellation } from "../../system/constellation.ts";
import { Judge } from "./judge.ts";
import type { FuzzOperation } from "./request.ts";
import { fuzz, violate } from "./run.ts";
import { knownTo, type Subject } from "./subjects.ts";
import type { Schema } from "./values.ts";
import { report } from "../../system/report.ts";

const { cases } = inject("form").fuzz;
const RATE_LIMIT_PER_MINUTE = 1_000_000_000;
/** The seed of a run that failed makes the same requests again. */
const SEED = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 30));
/** So that two operations of the same shape do not get the same requests. */
const SEEDS_APART = 1_000_000;
/** At least so many of a hundred answers accept and refuse: less would test one side only. */
const LEAST_OF_EACH_IN_100 = 4;
/**
 * An account has at most ten open erasures: those of the preparation are accepted, and few others. It has at
 * most ten sinks. A CloudEvent needs four headers together. No receiver has refused an event of a sink. A
 * role mapping and a workload must name what the operator's file has, and the path of a field begins with one
 * of six.
 */
const ACCEPTS_FEW = [
  "create-erasure",
  "create-role-mapping",
  "create-search-field",
  "create-sink",
  "create-workload",
  "delete-sink",
  "skip-sink-record",
  "store-cloudevents",
];
/** Intake stores or rejects what is in a body item by item, and counts it in its answer (docs/intake.md). */
const READ_ITEMS = ["store-kubernetes-audit", "store-cloudevents", "store-otlp-logs"];
const CONTROL_CASES = 60;

let stack: Stack;
let document: Schema;
const baseUrl = () => stack.baseUrls[0] ?? "";

beforeAll(async () => {
  // All requests of an operation are of one account, and none is to be refused for its share.
  const gateway = { ANNALS_READS_MAX_PER_ACCOUNT: "4000" };
  const many = {
    ANNALS_EXPORT_MAX_UNDER_WAY_PER_ACCOUNT: "10000",
    ANNALS_EXPORT_MAX_KEPT_PER_ACCOUNT: "10000",
  };
  const { directory, env: identity } = await writeIdentityFile();
  afterAll(() => rm(directory, { recursive: true }));
  stack = await startConstellation({
    rateLimitPerMinute: RATE_LIMIT_PER_MINUTE,
    env: {
      gateway: {
        ...identity.gateway,
        ...gateway,
        ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE),
      },
      keys: {
        ...identity.keys,
        ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE),
        ANNALS_WIDGET_RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE),
      },
      ledger: { ANNALS_LOG_EPOCH_S: "1" },
      export: many,
    },
  });
  document = dereferenced(await (await fetch(`${baseUrl()}/openapi.json`)).json());
});
afterAll(() => stack?.stop());

const SUBJECTS = V1.map(([method, path, scope, name]): Subject => {
  return { method: String(method), path, scope, name };
});

const subject = (name: string): Subject => {
  const found = SUBJECTS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};

function operationIn(given: Schema, name: string): FuzzOperation {
  const found = operationsOf(given).find(({ operation }) => operation.operationId === name);
  if (!found) throw new Error(`${name} is not in the document`);
  return found;
}

const known = (one: Subject, deletions = 0) =>
  knownTo(one, {
    baseUrl: baseUrl(),
    databaseUrl: stack.databaseUrl,
    dataDir: stack.dataDir,
    deletions,
  });

const judgeOf = ({ name }: Subject) =>
  new Judge(document, { readsItems: READ_ITEMS.includes(name) });

test.each(SUBJECTS)(`$name: ${cases} requests`, async (one) => {
  const operation = operationIn(document, one.name);
  const { statuses, faults } = await fuzz({
    baseUrl: baseUrl(),
    operation,
    known: await known(one, cases),
    judge: judgeOf(one),
    cases,
    seed: SEED + SUBJECTS.indexOf(one) * SEEDS_APART,
  });
  const again = `FUZZ_SEED=${SEED} npm run test:faults -- test/faults/fuzz -t ${one.name}`;
  expect(faults, `once more: ${again}\n${faults.join("\n\n")}`).toHaveLength(0);
  const counts = [...statuses];
  const accepted = counts.reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
  expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(cases);
  const least = ACCEPTS_FEW.includes(one.name) ? -1 : LEAST_OF_EACH_IN_100;
  expect((100 * accepted) / cases).toBeGreaterThan(least);
  expect((100 * (cases - accepted)) / cases).toBeGreaterThan(LEAST_OF_EACH_IN_100);
  const sorted = counts.toSorted(([a], [b]) => a - b).map(([status, count]) => [status, count]);
  report({ requests: cases, ...Object.fromEntries(sorted) });
});

test.each(SUBJECTS)("$name: each rule of the document broken by itself is refused", async (one) => {
  const operation = operationIn(document, one.name);
  const faults = await violate({
    baseUrl: baseUrl(),
    operation,
    known: await known(one, 1),
    judge: judgeOf(one),
    seed: SEED,
  });
  const isOfItems = (fault: string) =>
    READ_ITEMS.includes(one.name) && fault.startsWith("the body:");
  const others = faults.filter((fault) => !isOfItems(fault));
  expect(others, others.join("\n\n")).toHaveLength(0);
});

describe("control: the fuzzer finds", () => {
  test("a rule that the service does not keep", async () => {
    const changed = structuredClone(document);
    const operation = operationIn(changed, "list-events");
    const limit = operation.operation.parameters.find(({ name }: Schema) => name === "limit");
    limit.schema.maximum = 50;
    const judge = new Judge(changed);
    const given = { baseUrl: baseUrl(), operation, judge, seed: SEED };
    const faults = await violate({ ...given, known: await known(subject("list-events")) });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^the query parameter limit: too large: .*it was not refused/);
  });

  /** The faults against a document that was changed, or of another server. */
  async function found(
    name: string,
    change: (operation: Schema) => void,
    at = baseUrl(),
  ): Promise<string> {
    const changed = structuredClone(document);
    const { operation } = operationIn(changed, name);
    change(operation);
    const { faults } = await fuzz({
      baseUrl: at,
      // Requests are made from the true document, and judged by the changed one.
      operation: { ...operationIn(document, name), operation },
      known: await known(subject(name)),
      judge: new Judge(changed),
      cases: CONTROL_CASES,
      seed: SEED,
    });
    return faults.join("\n");
  }

  test("a status that is not in the document", async () => {
    const faults = await found("create-event", ({ responses }) => delete responses[422]);
    expect(faults).toContain("422 is not in the document");
  });

  test("a body that does not fit", async () => {
    const faults = await found("list-webhooks", ({ responses }) => {
      responses[200].content["application/json"].schema.required.push("total");
    });
    expect(faults).toContain("must have required property 'total'");
  });

  test("a header and a media type that are not there", async () => {
    const faults = await found("get-export", ({ responses }) => {
      responses[200].headers["X-Missing"] = { required: true, schema: { type: "string" } };
      responses[200].content = { "text/html": {} };
    });
    expect(faults).toContain("the header X-Missing is missing");
    expect(faults).toContain("the media type application/json; charset=utf-8");
  });

  test("a request that is accepted and not allowed", async () => {
    const faults = await found("create-api-key", (operation) => {
      operation.requestBody.content["application/json"].schema.properties.name.pattern = "^x$";
    });
    expect(faults).toContain("accepted with 201, though the body does not fit");
  });

  test.each([
    ["answers 500", "500 is a server error", false],
    ["hangs up", "no whole answer came", true],
  ])("a server that %s", async (_, sentence, hangsUp) => {
    const server = createServer((request, response) => {
      if (hangsUp) request.socket.destroy();
      else response.writeHead(500, { "content-length": 0 }).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const faults = await found("list-events", () => {}, `http://127.0.0.1:${port}`);
    expect(faults).toContain(sentence);
  });
});
