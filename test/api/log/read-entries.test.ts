// GET /v1/log/tile/entries/{index} returns a bundle of entries as c2sp.org/tlog-tiles lays them out: the
// texts whose leaf hashes are the events' hashes. It is compressed for clients that take gzip, and needs
// `events:read` (docs/evidence.md).

import { newClient, newKey } from "@annals/testing";
import { entryHash, TILE_WIDTH } from "@annals/tlog";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newCovered, NO_TILES } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const EVENTS = 300;

let log: Awaited<ReturnType<typeof newCovered>>;

const entries = (path: string, headers = {}) =>
  log.client.get(`/v1/log/tile/entries/${path}`, { headers });

function hashesOf(bundle: Buffer = Buffer.alloc(0)): string[] {
  const hashes: string[] = [];
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + bundle.readUInt16BE(at);
    hashes.push(entryHash(bundle.subarray(at + 2, end)).toString("hex"));
    at = end;
  }
  return hashes;
}

beforeAll(async () => {
  log = await newCovered(stack, EVENTS);
});

describe("200", () => {
  test("texts whose hashes are those of the events", async () => {
    const full = await entries("000");
    expect(full.status).toBe(200);
    expect(full.headers["content-type"]).toBe("application/octet-stream");
    expect(full.headers["content-encoding"]).toBeUndefined();
    expect(hashesOf(full.bytes)).toEqual(log.hashes.slice(0, TILE_WIDTH));
    expect(hashesOf((await entries("001.p/44")).bytes)).toEqual(log.hashes.slice(TILE_WIDTH));
    expect(hashesOf((await entries("000.p/3")).bytes)).toEqual(log.hashes.slice(0, 3));
  });

  test("compressed where the client takes gzip", async () => {
    const plain = await entries("000");
    const packed = await entries("000", { "accept-encoding": "br, gzip;q=0.5" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(packed.bytes?.length).toBeLessThan((plain.bytes?.length ?? 0) / 2);
    expect(gunzipSync(packed.bytes ?? "")).toEqual(plain.bytes);
    const refused = await entries("000", { "accept-encoding": "gzip;q=0" });
    expect(refused.headers["content-encoding"]).toBeUndefined();
  });

  test("with `events:read` alone", async () => {
    const { key } = await newKey(stack.databaseUrl, log.accountId, ["events:read"]);
    const answer = await log.client.as(key).get("/v1/log/tile/entries/000.p/1");
    expect(answer.status).toBe(200);
    expectRefused(await log.client.as(key).get("/v1/log/tile/0/000.p/1"), "scope_error");
  });
});

describe("404", () => {
  test.each(["001.p/45", "001", "002.p/1"])("beyond what is covered: %s", async (path) =>
    expectRefused(await entries(path), "not_found", { message: /cover/ }),
  );

  test.each(NO_TILES)("no path of a bundle: %s", async (path) =>
    expectRefused(await entries(path), "not_found", { message: /not the path|No route/ }),
  );

  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/tile/entries/000.p/1"), "not_found");
  });
});
