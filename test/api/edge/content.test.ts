// A body is JSON in UTF-8, as it is or compressed with gzip or zstd; anything else is refused by name with a
// 422, and never read as something that it is not (interface 1 and 4).

import { newClient } from "@annals/testing";
import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";
import { exchange } from "./raw-socket.ts";

const stack = inject("stack");
const { baseUrl } = stack;
const { client, key } = await newClient(stack);
const BODY = '{"action":"a"}';

const send = (headers: Record<string, string>, body: string | Buffer = BODY) =>
  client.post("/v1/events", body, { headers });

describe("201", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "Application/JSON; Charset=UTF8",
    "application/json;",
    "application/json; charset=utf-8;",
    'application/json ;; charset="utf-8" ; ',
    "application/json;charset=UTF-8;charset=utf-8",
  ])("%s", async (type) => {
    expect((await send({ "content-type": type })).status).toBe(201);
  });

  test("the coding identity", async () => {
    expect((await send({ "content-encoding": "identity" })).status).toBe(201);
  });

  test("chunks of any size", async () => {
    const chunks = Array.from(BODY, (character) => `1\r\n${character}\r\n`).join("");
    const [answer] = await exchange(
      baseUrl,
      `POST /v1/events HTTP/1.1\r\nHost: annals\r\nAuthorization: Bearer ${key}\r\n`,
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
      `${chunks}0\r\n\r\n`,
    );
    expect(answer.status).toBe(201);
  });
});

describe("422", () => {
  test.each([
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/cloudevents+json",
    "application/jsonp",
    "application",
    "json",
    "*/*",
    "",
  ])("the content type %j", async (type) => {
    expectRefused(await send({ "content-type": type }), "validation_error", {
      field: "Content-Type",
      message: "Content-Type: must be application/json",
    });
  });

  test.each([
    "iso-8859-1",
    "utf-16",
    "utf-7",
    '"us-ascii"',
    '"utf-8',
    "; charset=latin1;",
    "utf-8; charset=utf-16",
  ])("the character set %s", async (charset) => {
    const type = `application/json; charset=${charset}`;
    expectRefused(await send({ "content-type": type }), "validation_error", {
      field: "Content-Type",
    });
  });

  test.each(["br", "deflate", "gzip, gzip", "identity, gzip", "nonsense"])(
    "the coding %s",
    async (coding) => {
      expectRefused(await send({ "content-encoding": coding }), "validation_error", {
        field: "Content-Encoding",
        message: "Content-Encoding: must be gzip, zstd, identity or omitted",
      });
    },
  );

  test("a packed body that does not say so", async () => {
    expectRefused(await send({}, gzipSync(BODY)), "validation_error");
  });

  test("UTF-16 and a byte order mark", async () => {
    expectRefused(await send({}, Buffer.from(BODY, "utf16le")), "validation_error");
    expectRefused(await send({}, Buffer.from(`\ufeff${BODY}`)), "validation_error");
  });

  test("no content type at all", async () => {
    const [answer] = await exchange(
      baseUrl,
      `POST /v1/events HTTP/1.1\r\nHost: annals\r\nAuthorization: Bearer ${key}\r\n`,
      `Connection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    expectRefused(answer, "validation_error", { field: "Content-Type" });
  });
});
