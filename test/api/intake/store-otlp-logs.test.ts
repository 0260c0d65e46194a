// POST /v1/intake/otlp/v1/logs stores log records of OpenTelemetry in both encodings; what cannot be stored
// is counted in the partial success and costs no other record; a retry with log.record.uid stores nothing
// twice; a failure is google.rpc.Status in the encoding of the request (docs/intake.md).

import {
  inJson,
  inProtobuf,
  otlpRecord,
  otlpRequest,
  type OtlpRequest,
} from "@annals/gateway/src/testing/otlp-requests.ts";
import { ExportLogsServiceResponseSchema } from "@annals/proto/otlp";
import { type Answer, HttpClient, newAccount, newKey, type TestAccount } from "@annals/testing";
import { fromBinary, fromJson, toJson } from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectProtobufStatus, expectStatus } from "../refusal.ts";

const { baseUrl, databaseUrl } = inject("stack");
const PATH = "/v1/intake/otlp/v1/logs";
const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";

const ENCODINGS = [
  { type: PROTOBUF, write: inProtobuf },
  { type: JSON_TYPE, write: inJson },
];

let account: TestAccount;
let client: HttpClient;

beforeEach(async () => {
  account = await newAccount(databaseUrl);
  client = new HttpClient(baseUrl, account.key);
});

const send = (body: Buffer | string, type: string, headers: object = {}, by = client) =>
  by.post(PATH, body, { headers: { "content-type": type, ...headers } });
const events = async () => (await client.get("/v1/events")).body.data;

/** What the answer says, in the encoding that it must have. */
function said({ body, bytes, headers, status }: Answer, type: string) {
  expect(status).toBe(200);
  expect(headers["content-type"]?.split(";")[0]).toBe(type);
  const schema = ExportLogsServiceResponseSchema;
  const message =
    type === PROTOBUF ? fromBinary(schema, bytes ?? Buffer.alloc(0)) : fromJson(schema, body);
  return toJson(schema, message);
}

describe.each(ENCODINGS)("200 for $type", ({ type, write }) => {
  const sendOf = (request: OtlpRequest) => send(write(request), type);

  test("of records, whose events are stored", async () => {
    const record = otlpRecord({ attributes: { "event.outcome": "success", amount: 5n } });
    expect(said(await sendOf(otlpRequest(record)), type)).toEqual({});
    expect(await events()).toMatchObject([
      {
        action: "invoice.update",
        actor: { id: "u_1", type: "user" },
        target: { id: "inv_9" },
        context: { resource: { "service.name": "billing" }, scope: { name: "app" } },
        metadata: { outcome: "success", attributes: { amount: 5 } },
        occurred_at: "2026-01-31T09:30:00.052919Z",
      },
    ]);
  });

  test("of a retry with log.record.uid, which stores nothing twice", async () => {
    const request = otlpRequest(
      ...[1, 2].map((n) => otlpRecord({ attributes: { "log.record.uid": `uid-${n}` } })),
    );
    for (const _ of [1, 2]) expect(said(await sendOf(request), type)).toEqual({});
    expect(await events()).toHaveLength(2);
  });

  test("of records of which some cannot be stored, with a partial success", async () => {
    const { key: name, value } = { key: "log.record.uid", value: "one" };
    const records = [
      {},
      otlpRecord({ attributes: { [name]: value } }),
      otlpRecord({ eventName: "annals.erasure" }),
      otlpRecord({ attributes: { [name]: value, other: true } }),
    ];
    const { partialSuccess } = said(await sendOf(otlpRequest(...records)), type) as {
      readonly partialSuccess: {
        readonly rejectedLogRecords: string;
        readonly errorMessage: string;
      };
    };
    expect(partialSuccess.rejectedLogRecords).toBe("2");
    expect(partialSuccess.errorMessage).toMatch(
      /^2 of 4 log records cannot be stored\. 0: eventName .* only records of events are stored; 2: action must not/,
    );
    expect(await events()).toMatchObject([
      // Another record with the same uid is not lost.
      { metadata: { annals_conflict: true, attributes: { other: true } } },
      { metadata: {} },
    ]);
  });

  test("of a compressed body", async () => {
    const body = write(otlpRequest(otlpRecord()));
    const gzip = await send(gzipSync(body), type, { "content-encoding": "gzip" });
    const zstd = await send(zstdCompressSync(body), type, { "content-encoding": "zstd" });
    expect([said(gzip, type), said(zstd, type)]).toEqual([{}, {}]);
    expect(await events()).toHaveLength(2);
  });

  test("of a request without records", async () => {
    expect(said(await sendOf({}), type)).toEqual({});
  });
});

test("200 for names that OTLP does not have, with a warning", async () => {
  const answer = await send('{"resource_logs":[{"scope_logs":[]}]}', JSON_TYPE);
  expect(said(answer, JSON_TYPE)).toEqual({
    partialSuccess: {
      errorMessage:
        'A part of the request was ignored: "resource_logs" is not a member of ExportLogsServiceRequest, which has ' +
        "no resourceLogs.",
    },
  });
  expect(await events()).toEqual([]);
});

test("200 for an empty body in protobuf, which is a request without records", async () => {
  expect(
    said(await client.send("POST", PATH, { headers: { "content-type": PROTOBUF } }), PROTOBUF),
  ).toEqual({});
});

describe("400", () => {
  const body = inProtobuf(otlpRequest(otlpRecord()));

  test.each([
    ["protobuf that is cut off", body.subarray(0, -1)],
    ["what is not protobuf", Buffer.from("secret")],
  ])("for %s", async (_, bytes) => {
    expectProtobufStatus(await send(bytes, PROTOBUF), 400);
    expect(await events()).toEqual([]);
  });

  test.each([
    ["JSON that is cut off", '{"resourceLogs": ['],
    ["no body", ""],
    ["a member twice", '{"resourceLogs": [], "resourceLogs": []}'],
  ])("for %s", async (_, text) => {
    expectStatus(await send(text, JSON_TYPE), 400);
  });

  test.each(["text/plain", "application/protobuf", "application/x-protobuffer"])(
    "for the content type %j",
    async (type) => {
      expectStatus(
        await send(body, type),
        400,
        "Content-Type: must be application/x-protobuf or application/json",
      );
    },
  );

  test("for more than 1,000 records", async () => {
    const many = otlpRequest(...Array.from({ length: 1_001 }, () => otlpRecord()));
    expectProtobufStatus(await send(inProtobuf(many), PROTOBUF), 400);
    expectStatus(await send(inJson(many), JSON_TYPE), 400);
  });

  test("for a coding that is not known, and for a damaged one", async () => {
    expectProtobufStatus(await send(body, PROTOBUF, { "content-encoding": "br" }), 400);
    expectProtobufStatus(await send(body, PROTOBUF, { "content-encoding": "gzip" }), 400);
  });
});

describe("401 and 403", () => {
  test("are in the encoding of the request", async () => {
    const { key } = await newKey(databaseUrl, account.accountId, ["events:read"]);
    for (const [by, status] of [
      [client.as(undefined), 401],
      [client.as(key), 403],
    ] as const) {
      expectProtobufStatus(await send(Buffer.alloc(0), `${PROTOBUF}; x=y`, {}, by), status);
      expectStatus(await send("{}", JSON_TYPE, {}, by), status);
    }
  });
});

describe("413", () => {
  const tooLarge = Buffer.alloc(8 * 1024 * 1024 + 1, " ");

  test("for more than 8 MiB", async () => {
    expectProtobufStatus(await send(tooLarge, PROTOBUF), 413);
    expectStatus(await send(tooLarge, JSON_TYPE), 413);
  });

  test("for what inflates to more", async () => {
    const body = Buffer.concat([randomBytes(64 * 1024), tooLarge]);
    expectStatus(await send(gzipSync(body), JSON_TYPE, { "content-encoding": "gzip" }), 413);
  });
});
