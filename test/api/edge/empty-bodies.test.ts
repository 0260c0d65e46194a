// Guarantee: no body, an empty body in any framing, and `{}` are the same. Every operation that needs no body
// takes each of them, and refuses everything else (docs/interface.md).

import { mintKey } from "@annals/contract";
import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange } from "./raw-socket.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { client, key } = await newClient(stack);
const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const ask = async (start: string, headers: readonly string[], body: string, ...later: string[]) => {
  const authorized = `Authorization: Bearer ${key}`;
  const head = lines(`${start} HTTP/1.1`, "Host: a", authorized, "Connection: close", ...headers);
  const parts = later.flatMap((part) => [() => client.get("/v1/verify"), part]);
  const answers = await exchange(baseUrl, head + body, ...parts);
  expect(answers).toHaveLength(1);
  return answers[0];
};

const NOTHING: [string, string[], string, ...string[]][] = [
  ["no body", [], ""],
  ["a length of 0", ["Content-Length: 0"], ""],
  ["no chunk", [CHUNKED], "0\r\n\r\n"],
  ["no chunk, in another packet", [CHUNKED], "", "0\r\n\r\n"],
  ["JSON without bytes", [JSON_TYPE, "Content-Length: 0"], ""],
  ["JSON without a chunk", [JSON_TYPE, CHUNKED], "0\r\n\r\n"],
  ["a form without fields", ["Content-Type: application/x-www-form-urlencoded"], ""],
  ["a form without a chunk", ["Content-Type: multipart/form-data", CHUNKED], "0\r\n\r\n"],
  ["{}", [JSON_TYPE, "Content-Length: 2"], "{}"],
  ["{} in chunks", [`${JSON_TYPE}; charset=utf-8`, CHUNKED], chunk("{}")],
  ["{} with space", [JSON_TYPE, "Content-Length: 7"], " {\r\n } "],
  ["{} that is asked for", [JSON_TYPE, "Content-Length: 2", "Expect: 100-continue"], "{}"],
];

const ROUTES = [
  ["GET /v1/events", 200],
  ["GET /v1/verify", 200],
  ["POST /v1/exports", 201],
  ["POST /v1/widget-tokens", 201],
  ["DELETE /v1/keys/key_none", 404],
  ["DELETE /v1/holds/hold_none", 404],
  ["POST /v1/webhooks/wh_none/test", 404],
  ["POST /v1/webhooks/wh_none/rotate-secret", 404],
  ["POST /v1/sinks/sink_none/test", 404],
  ["PATCH /v1/webhooks/wh_none", 404],
  ["GET /openapi.json", 200],
  ["GET /log/none", 404],
] as const;

describe.each(ROUTES)("%s", (start, status) => {
  test.each(NOTHING)("%s", async (_, headers, body, ...later) => {
    const authorized = `Authorization: Bearer ${key}`;
    const head = lines(`${start} HTTP/1.1`, "Host: a", authorized, "Connection: close", ...headers);
    const parts = later.flatMap((part) => [() => client.get("/v1/verify"), part]);
    const answers = await exchange(baseUrl, head + body, ...parts);
    expect(answers.map((answer) => answer.status).filter((each) => each !== 100)).toEqual([status]);
  });
});

describe("422", () => {
  const BODIES: [string, string[], string][] = [
    ["a member", [JSON_TYPE, "Content-Length: 9"], '{"a":"b"}'],
    ["a list", [JSON_TYPE, CHUNKED], chunk("[]")],
    ["{} of another type", ["Content-Type: text/plain", "Content-Length: 2"], "{}"],
    ["{} without a type", [CHUNKED], chunk("{}")],
    ["space", [JSON_TYPE, CHUNKED], chunk(" ")],
    ["65 bytes", [JSON_TYPE, CHUNKED], chunk("{}".padEnd(65, " "))],
  ];
  const message = "This operation does not accept a body.";

  test.each(BODIES)("%s", async (_, headers, body) => {
    for (const start of ["GET /v1/events", "POST /v1/webhooks/wh_none/test", "GET /docs"])
      expectRefused(await ask(start, headers, body), "validation_error", { message });
  });

  test("a form for an export", async () => {
    const type = "Content-Type: application/x-www-form-urlencoded";
    const answer = await ask("POST /v1/exports", [type, CHUNKED], chunk("format=csv"));
    expectRefused(answer, "validation_error", { field: "Content-Type" });
  });

  test.each(["null", "[]", '"{}"', "0"])("%s in place of an object", async (body) => {
    const answer = await ask("POST /v1/exports", [JSON_TYPE, CHUNKED], chunk(body));
    expectRefused(answer, "validation_error");
  });

  test("no body where a member is required", async () => {
    expectRefused(await ask("POST /v1/events", [JSON_TYPE], ""), "validation_error");
  });
});

test("64 bytes around {} are the most", async () => {
  const body = "{}".padEnd(64, " ");
  expect((await ask("GET /v1/verify", [JSON_TYPE, CHUNKED], chunk(body))).status).toBe(200);
});

test("a key is checked before any of a body", async () => {
  const authorized = `Authorization: Bearer ${mintKey("annals")}`;
  const [answer] = await exchange(
    baseUrl,
    lines("GET /v1/events HTTP/1.1", "Host: a", authorized, CHUNKED),
  );
  expectRefused(answer, "authentication_error");
});

test("what follows an empty body on the connection is the next request", async () => {
  const head = (start: string, ...more: string[]) =>
    lines(`${start} HTTP/1.1`, "Host: a", `Authorization: Bearer ${key}`, ...more);
  const text = [
    `${head("GET /v1/verify", CHUNKED)}0\r\n\r\n`,
    `${head("POST /v1/webhooks/wh_none/test", JSON_TYPE, "Content-Length: 2")}{}`,
    head("GET /v1/verify", "Connection: close"),
  ];
  const answers = await exchange(baseUrl, text.join(""));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
});
