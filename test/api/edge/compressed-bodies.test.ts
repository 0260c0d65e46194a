// Guarantee: a compressed body is the body that it inflates to, with the same limits. What is damaged, has
// bytes after its end, or inflates beyond the limits is refused with a 422 that says so, and stores nothing.

import { newClient } from "@annals/testing";
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from "node:zlib";
import { buffer } from "node:stream/consumers";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const BODY = JSON.stringify({ action: "document.opened", metadata: { note: "ü" } });
const MIB = 1024 * 1024;
const BATCH_BYTES = 4 * MIB;

const CODINGS = [
  ["gzip", (body: Buffer) => gzipSync(body)],
  ["zstd", (body: Buffer) => zstdCompressSync(body)],
] as const;

const post = (path: string, coding: string, body: Buffer) =>
  client.post(path, body, {
    headers: { "content-encoding": coding, "content-type": "application/json" },
  });

async function stored(): Promise<number> {
  return (await client.get("/v1/events?limit=100")).body.data.length;
}

/** A batch of exactly so many bytes, whose text does not repeat. */
function batchOf(bytes: number): Buffer {
  const events: string[] = [];
  let length = '{"events":[]}'.length;
  for (let n = 0; bytes - length > 60_000; n += 1) {
    const note = Array.from({ length: 3_000 }, (_, at) => `${n * at * 7919}`).join(" ");
    const text = JSON.stringify({ action: "document.opened", metadata: { note } });
    events.push(text);
    length += text.length + 1;
  }
  const text = `{"events":[${events.join(",")}]}`;
  return Buffer.from(`${text}${" ".repeat(bytes - text.length)}`);
}

describe.each(CODINGS)("%s", (coding, compress) => {
  test("an event, a batch, and the coding in capitals", async () => {
    const one = await post("/v1/events", coding, compress(Buffer.from(BODY)));
    expect(one.status).toBe(201);
    const shown = await client.get(`/v1/events/${one.body.data.id}`);
    expect(shown.body.data).toMatchObject(JSON.parse(BODY));
    const batch = compress(Buffer.from(`{"events":[${BODY},${BODY}]}`));
    expect((await post("/v1/events/batch", coding, batch)).status).toBe(201);
    const capitals = compress(Buffer.from(BODY));
    expect((await post("/v1/events", coding.toUpperCase(), capitals)).status).toBe(201);
  });

  test("the same body with the same idempotency key, compressed or not, is one event", async () => {
    const headers = {
      "idempotency-key": `compressed ${coding}`,
      "content-type": "application/json",
    };
    const plain = await client.post("/v1/events", BODY, { headers });
    const packed = await client.post("/v1/events", compress(Buffer.from(BODY)), {
      headers: { ...headers, "content-encoding": coding },
    });
    expect([plain.status, packed.status]).toEqual([201, 201]);
    expect(packed.body).toEqual(plain.body);
  });

  test("the limit of the body holds for what it inflates to, at its edge", async () => {
    const before = await stored();
    const most = batchOf(BATCH_BYTES);
    const beyond = Buffer.concat([most, Buffer.from(" ")]);
    expectRefused(await post("/v1/events/batch", coding, compress(beyond)), "validation_error", {
      message: `The body is too large: it inflates to more than ${BATCH_BYTES} bytes. Send less at a time.`,
    });
    expect(await stored()).toBe(before);
    expect((await post("/v1/events/batch", coding, compress(most))).status).toBe(201);
  });

  test("what refused bodies inflated to is released", async () => {
    const beyond = compress(Buffer.concat([batchOf(BATCH_BYTES), Buffer.from(" ")]));
    // Together five times what an account may hold.
    for (let sent = 0; sent < 20; sent += 1)
      expect((await post("/v1/events/batch", coding, beyond)).status).toBe(422);
  });

  test("a body may inflate to any times its size, up to the limit", async () => {
    const padded = compress(Buffer.from('{"action":"document.opened"}'.padEnd(1_000_000)));
    expect(1_000_000 / padded.length).toBeGreaterThan(500);
    const { body } = await post("/v1/events", coding, padded);
    expect(body).toMatchObject({ data: { action: "document.opened" } });
  });

  const packed = compress(Buffer.from(BODY));
  test.each([
    ["cut off", packed.subarray(0, -1)],
    ["with a byte after its end", Buffer.concat([packed, Buffer.from("x")])],
    ["with a zero byte after its end", Buffer.concat([packed, Buffer.alloc(1)])],
    ["not compressed", Buffer.from(BODY)],
    ["with a changed byte", Buffer.from(packed).fill(0x55, 0, 2)],
  ])("%s", async (_, body) => {
    const before = await stored();
    expectRefused(await post("/v1/events", coding, body), "validation_error", {
      field: "Content-Encoding",
      message: `Content-Encoding: the body must be one complete ${coding} stream, without bytes after it`,
    });
    expect(await stored()).toBe(before);
  });

  test("compressed twice", async () => {
    expectRefused(await post("/v1/events", coding, compress(packed)), "validation_error");
  });
});

test("x-gzip is gzip", async () => {
  const { body } = await post("/v1/events", "x-gzip", gzipSync(Buffer.from(BODY)));
  expect(body).toMatchObject({ data: { action: expect.any(String) } });
});

test("a second zstd frame is not dropped silently", async () => {
  const two = Buffer.concat([
    zstdCompressSync(Buffer.from(BODY)),
    zstdCompressSync(Buffer.from(" ")),
  ]);
  expectRefused(await post("/v1/events", "zstd", two), "validation_error", {
    field: "Content-Encoding",
  });
});

test("a zstd window of 8 MiB is taken, and a larger one refused", async () => {
  const framed = async (windowLog: number) => {
    const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
    // In pieces, so that the frame does not say how long it is, and needs its window.
    stream.write(BODY);
    await new Promise<void>((resolve) => stream.flush(resolve));
    stream.end(" ");
    return buffer(stream);
  };
  expect((await post("/v1/events", "zstd", await framed(23))).status).toBe(201);
  expectRefused(await post("/v1/events", "zstd", await framed(24)), "validation_error", {
    field: "Content-Encoding",
  });
});
