// Whatever bytes arrive, what goes back is an answer in the error shape with a status of the table
// in interface 4: no 400, 405, 408, 413, 414, 415, 417, 431 and no 5xx. Answers on one connection stay in
// order, one for each request.

import { mintKey } from "@annals/contract";
import { newAccount } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange } from "./raw-socket.ts";

const { baseUrl, databaseUrl } = inject("stack");
const account = await newAccount(databaseUrl);

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n\r\n`;
const authorized = () => `Authorization: Bearer ${account.key}`;
const GET = "GET /v1/api-keys HTTP/1.1";
const POST = "POST /v1/api-keys HTTP/1.1";
const HOST = "Host: annals";
const CLOSE = "Connection: close";
const JSON_TYPE = "Content-Type: application/json";

describe("422: broken requests", () => {
  test.each<[string, () => string]>([
    ["no Host", () => lines(GET, authorized(), CLOSE)],
    ["HTTP/3.0 as text", () => lines("GET /v1/api-keys HTTP/3.0", HOST)],
    ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["no version number", () => lines("GET /v1/api-keys HTTP/", HOST)],
    ["another protocol", () => lines("GET /v1/api-keys ICY/1.1", HOST)],
    ["bare line feeds", () => `${GET}\nHost: annals\n\n`],
    ["a header without colon", () => lines(GET, HOST, "Nonsense", CLOSE)],
    ["a space before the colon", () => lines(GET, HOST, "X : a", CLOSE)],
    ["a folded header", () => lines(GET, HOST, "X: a\r\n b", CLOSE)],
    ["a zero byte in a header", () => lines(GET, HOST, "X: a\0b", CLOSE)],
    ["a control character in a header's name", () => lines(GET, HOST, "X\x01: a", CLOSE)],
    ["a Content-Length below zero", () => lines(POST, HOST, "Content-Length: -1")],
    ["a Content-Length that is no number", () => lines(POST, HOST, "Content-Length: ten")],
    [
      "a Content-Length beyond all numbers",
      () => lines(POST, HOST, `Content-Length: 1${"0".repeat(30)}`),
    ],
    [
      "a chunk without size",
      () => `${lines(POST, HOST, "Transfer-Encoding: chunked")}zz\r\n{}\r\n`,
    ],
    [
      "a chunk beyond all numbers",
      () => `${lines(POST, HOST, "Transfer-Encoding: chunked")}${"f".repeat(17)}\r\n`,
    ],
    ["an unknown expectation", () => lines(GET, HOST, authorized(), "Expect: cake", CLOSE)],
  ])("%s", async (_, text) => {
    const answers = await exchange(baseUrl, text());
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error");
  });
});

describe("422: bodies with two ends", () => {
  const HIDDEN = lines("DELETE /v1/api-keys/key_x HTTP/1.1", HOST);

  test.each<[string, string[]]>([
    ["Content-Length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
    ["chunks and Content-Length", ["Transfer-Encoding: chunked", "Content-Length: 4"]],
    ["two lengths", ["Content-Length: 2", "Content-Length: 30"]],
    ["two lengths in one header", ["Content-Length: 2, 30"]],
    ["chunks that are packed as well", ["Transfer-Encoding: gzip, chunked"]],
    ["packed without chunks", ["Transfer-Encoding: gzip"]],
    ["chunked and then something else", ["Transfer-Encoding: chunked, identity"]],
    ["chunked, misspelt", ["Transfer-Encoding: xchunked"]],
    ["chunked behind a vertical tab", ["Transfer-Encoding: \x0bchunked"]],
  ])("%s", async (_, headers) => {
    const text = `${lines(POST, HOST, authorized(), JSON_TYPE, CLOSE, ...headers)}0\r\n\r\n${HIDDEN}`;
    const answers = await exchange(baseUrl, text);
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error");
  });
});

describe("404: methods that no route has", () => {
  test.each([
    ["an unknown method", "FOO /v1/api-keys"],
    ["a method in lower case", "get /v1/api-keys"],
    ["no method", " /v1/api-keys"],
    ["bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00"],
    ["CONNECT", "CONNECT /v1/api-keys"],
    ["CONNECT to another host", "CONNECT example.com:443"],
  ])("%s", async (_, start) => {
    const answers = await exchange(baseUrl, lines(`${start} HTTP/1.1`, HOST, authorized()));
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "not_found");
  });

  test.each([
    "OPTIONS",
    "TRACE",
    "PUT",
    "PROPFIND",
    "QUERY",
    "REPORT",
    "PURGE",
    "M-SEARCH",
    "LINK",
  ])("%s on a path that exists", async (method) => {
    const head = `${method} /v1/api-keys HTTP/1.1`;
    const [answer] = await exchange(baseUrl, lines(head, HOST, authorized(), CLOSE));
    const message = `No route matches ${method} /v1/api-keys.`;
    expectRefused(answer, "not_found", { message });
  });

  test("OPTIONS * and HEAD", async () => {
    const [options] = await exchange(baseUrl, lines("OPTIONS * HTTP/1.1", HOST, CLOSE));
    expectRefused(options, "not_found");
    const head = await fetch(`${baseUrl}/v1/api-keys`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${account.key}` },
    });
    expect(head.status).toBe(404);
    expect(await head.text()).toBe("");
  });
});

describe("what is only unusual is served", () => {
  test.each<[string, () => string]>([
    ["HTTP/1.0 without Host", () => lines("GET /v1/api-keys HTTP/1.0", authorized())],
    [
      "the absolute form",
      () => lines("GET http://annals/v1/api-keys HTTP/1.1", HOST, authorized(), CLOSE),
    ],
    [
      "an upgrade to WebSocket",
      () => lines(GET, HOST, authorized(), "Upgrade: websocket", "Connection: upgrade, close"),
    ],
    [
      "an upgrade to HTTP/2",
      () => lines(GET, HOST, authorized(), "Upgrade: h2c", "Connection: upgrade, close"),
    ],
    [
      "100-continue without a body",
      () => lines(GET, HOST, authorized(), "Expect: 100-continue", CLOSE),
    ],
  ])("%s", async (_, text) => {
    const answers = await exchange(baseUrl, text());
    expect(answers.at(-1)).toMatchObject({ status: 200, body: { data: [{ id: account.keyId }] } });
  });

  test("a body after 100-continue", async () => {
    const body = '{"name":"patient"}';
    const head = [POST, HOST, authorized(), JSON_TYPE, `Content-Length: ${body.length}`];
    const answers = await exchange(baseUrl, lines(...head, "Expect: 100-Continue", CLOSE), body);
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });
});

test.each([
  ["no key", "authentication_error", () => []],
  ["a malformed key", "authentication_error", () => ["Authorization: Bearer annals_sk_x"]],
  ["an unknown key", "authentication_error", () => [`Authorization: Bearer ${mintKey("annals")}`]],
  ["too large a body", "validation_error", () => [authorized(), `Content-Length: ${2 ** 31}`]],
])("%s: the body is not asked for", async (_, type, headers) => {
  const length = headers().length === 2 ? [] : ["Content-Length: 10"];
  const head = [POST, HOST, JSON_TYPE, ...length, ...headers(), "Expect: 100-continue"];
  const answers = await exchange(baseUrl, lines(...head));
  expect(answers).toHaveLength(1);
  expectRefused(answers[0], type);
});

test.each([
  "/v1/events",
  "/v1/events/batch",
  "/v1/api-keys",
  "/v1/keys",
  "/v1/webhooks",
  "/v1/sinks",
  "/v1/holds",
])("%s: two keys of idempotency, whether they are equal or not", async (path) => {
  const body = '{"action":"a"}';
  for (const second of ["k1", "k2"]) {
    const keys = ["Idempotency-Key: k1", `idempotency-key: ${second}`];
    const length = `Content-Length: ${body.length}`;
    const head = [`POST ${path} HTTP/1.1`, HOST, authorized(), JSON_TYPE, length, ...keys, CLOSE];
    const [answer] = await exchange(baseUrl, lines(...head) + body);
    const message = "Idempotency-Key: must be sent once";
    expectRefused(answer, "validation_error", { field: "Idempotency-Key", message });
  }
});

describe("several requests on one connection", () => {
  test("without a key, sent together, are answered in order", async () => {
    const page = lines("GET /openapi.json HTTP/1.1", HOST);
    const none = lines("GET /none HTTP/1.1", HOST);
    const answers = await exchange(
      baseUrl,
      page + none + page + none + lines(GET, HOST, authorized()) + lines(GET, HOST, CLOSE),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 404, 200, 401]);
  });

  test("sent together, are answered in order", async () => {
    const one = lines(GET, HOST, authorized());
    const text = [
      one,
      lines("GET /v1/nope HTTP/1.1", HOST, authorized()),
      lines(GET, HOST),
      one,
      lines("GET /v1/verify HTTP/1.1", HOST, authorized(), CLOSE),
    ];
    const answers = await exchange(baseUrl, text.join(""));
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 200, 200]);
  });

  test.each(["h2c", "websocket", "HTTP/2.0, h2c"])(
    "an upgrade to %s is ignored, and the connection stays open",
    async (protocol) => {
      const more = ["Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQ"];
      const upgrade = (...others: string[]) =>
        lines(...others, HOST, authorized(), `Upgrade: ${protocol}`, ...more);
      const body = '{"name":"upgrade"}';
      const length = [JSON_TYPE, `Content-Length: ${body.length}`];
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const answers = await exchange(
        baseUrl,
        // The first comes with what follows it in one packet.
        [
          lines(GET, HOST, authorized()),
          upgrade("GET /v1/verify HTTP/1.1"),
          upgrade(POST, ...length) + body,
          upgrade(POST, JSON_TYPE, "Transfer-Encoding: chunked") + chunks,
          lines("GET /v1/nope HTTP/1.1", HOST, authorized()),
          lines(GET, HOST, authorized(), `Upgrade: ${protocol}`, "Connection: upgrade, close"),
        ].join(""),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 201, 404, 200]);
      expect(answers[1]?.body.data).toHaveProperty("valid");
    },
  );

  test.each([
    ["Content-Length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
    ["two lengths", ["Content-Length: 2", "Content-Length: 30"]],
    ["packed without chunks", ["Transfer-Encoding: gzip"]],
  ])("an upgrade with %s is refused once", async (_, headers) => {
    const upgrade = ["Upgrade: h2c", "Connection: Upgrade", JSON_TYPE];
    const head = lines(POST, HOST, authorized(), ...upgrade, ...headers);
    const hidden = lines("DELETE /v1/api-keys/key_x HTTP/1.1", HOST, authorized());
    const answers = await exchange(baseUrl, `${head}0\r\n\r\n${hidden}`);
    expect(answers).toHaveLength(1);
    expectRefused(answers[0], "validation_error");
  });

  test("a broken one waits for the answers before it", async () => {
    const good = lines("GET /v1/verify HTTP/1.1", HOST, authorized());
    const answers = await exchange(baseUrl, `${good}${good}FOO / HTTP/1.1\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expectRefused(answers[2] ?? answers[0], "not_found");
  });

  test("CONNECT waits for the answers before it", async () => {
    const good = lines("GET /v1/verify HTTP/1.1", HOST, authorized());
    const answers = await exchange(baseUrl, good + lines("CONNECT x:1 HTTP/1.1", HOST));
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });

  test("a body that was refused is not taken for a request", async () => {
    const hidden = lines(GET, HOST, authorized());
    const head = [POST, HOST, JSON_TYPE, `Content-Length: ${hidden.length}`];
    const last = lines("GET /v1/verify HTTP/1.1", HOST, authorized(), CLOSE);
    const answers = await exchange(baseUrl, lines(...head) + hidden + last);
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
    expect(answers[1]?.body.data).toHaveProperty("valid");
  });
});
