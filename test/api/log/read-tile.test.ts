// GET /v1/log/tile/{level}/{index} returns the hashes of a tile as c2sp.org/tlog-tiles lays them out, full
// or partial, and 404 for every other path and for what is not covered (docs/evidence.md).

import { newClient } from "@annals/testing";
import { HASH_BYTES, TILE_WIDTH, tileRoot } from "@annals/tlog";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { newCovered, NO_TILES } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const EVENTS = 300;

let log: Awaited<ReturnType<typeof newCovered>>;
let leaves: Buffer;

const tile = (path: string) => log.client.get(`/v1/log/tile/${path}`);

beforeAll(async () => {
  log = await newCovered(stack, EVENTS);
  leaves = Buffer.from(log.hashes.join(""), "hex");
});

describe("200", () => {
  test("a full tile, and a partial one up to the newest event", async () => {
    const full = await tile("0/000");
    expect(full.status).toBe(200);
    expect(full.headers["content-type"]).toBe("application/octet-stream");
    expect(full.headers["content-encoding"]).toBeUndefined();
    expect(full.bytes).toEqual(leaves.subarray(0, TILE_WIDTH * HASH_BYTES));
    const partial = await tile("0/001.p/44");
    expect(partial.bytes).toEqual(leaves.subarray(TILE_WIDTH * HASH_BYTES));
  });

  test("a partial tile of an earlier size", async () => {
    expect((await tile("0/000.p/7")).bytes).toEqual(leaves.subarray(0, 7 * HASH_BYTES));
    expect((await tile("0/001.p/1")).bytes?.length).toBe(HASH_BYTES);
  });

  test("a tile of the level above", async () => {
    expect((await tile("1/000.p/1")).bytes).toEqual(
      tileRoot(leaves.subarray(0, TILE_WIDTH * HASH_BYTES)),
    );
  });
});

describe("404", () => {
  test.each(["0/001.p/45", "0/001", "0/002.p/1", "1/000.p/2", "1/000", "2/000.p/1", "63/000"])(
    "beyond what is covered: %s",
    async (path) => expectRefused(await tile(path), "not_found", { message: /cover/ }),
  );

  test.each(NO_TILES)("no path of a tile: %s", async (path) =>
    expectRefused(await tile(path), "not_found", { message: /not the path|No route/ }),
  );

  test("until an epoch covers the account", async () => {
    const { client } = await newClient(stack);
    expectRefused(await client.get("/v1/log/tile/0/000.p/1"), "not_found");
  });
});

describe("422", () => {
  test("names a parameter that it does not have", async () =>
    expectRefused(await tile("0/000?width=1"), "validation_error", { field: "width" }));
});
