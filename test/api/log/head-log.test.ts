// The public head log under /log/ needs no key, and is what C2SP's tools read: a signed checkpoint, tiles
// and entries whose hashes give its root, and its verifier keys. No header or body of it names an account,
// and each has the headers by which a cache may keep it (docs/evidence.md).

import { HttpClient } from "@annals/testing";
import {
  append,
  EMPTY_TREE,
  entryHash,
  HASH_BYTES,
  parseCheckpoint,
  parseEntry,
  parseNote,
  parseVkey,
  rootOf,
  TILE_WIDTH,
  tilePath,
  tilesOf,
  verifyNote,
} from "@annals/tlog";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newCovered, NO_TILES } from "../../system/covered.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const client = new HttpClient(stack.baseUrl);
let account: Awaited<ReturnType<typeof newCovered>>;

const IMMUTABLE = "public, max-age=31536000, immutable";

beforeAll(async () => {
  account = await newCovered(stack, 1);
});

afterAll(() => client.close());

/** Every file of the log as it is now. */
async function readAll() {
  const [checkpoint, vkey] = [await client.get("/log/checkpoint"), await client.get("/log/vkey")];
  const { size } = parseCheckpoint(parseNote(checkpoint.text).text);
  const tiles = Array.from(tilesOf(size), (tile) => ({ ...tile, path: tilePath(tile) }));
  const ofLevel0 = tiles.filter(({ level }) => level === 0);
  const bundles = ofLevel0.map((tile) => ({
    ...tile,
    path: tilePath({ ...tile, level: "entries" }),
  }));
  const read = async <T extends { readonly path: string }>(files: readonly T[]) => {
    const all: (T & Awaited<ReturnType<HttpClient["get"]>>)[] = [];
    for (const file of files) all.push({ ...file, ...(await client.get(`/log/${file.path}`)) });
    return all;
  };
  return { checkpoint, vkey, tiles: await read(tiles), bundles: await read(bundles) };
}

describe("200", () => {
  test("the checkpoint is signed by the key, and the tiles give its root", async () => {
    const { bundles, checkpoint, tiles, vkey } = await readAll();
    const keys = vkey.text.trimEnd().split("\n").map(parseVkey);
    const note = parseNote(checkpoint.text);
    expect(verifyNote(note, keys).signed).toHaveLength(1);
    const { origin, root, size } = parseCheckpoint(note.text);
    expect(origin).toBe(keys[0]?.name);
    const ofLevel0 = tiles.filter(({ level }) => level === 0);
    const hashes = Buffer.concat(ofLevel0.map(({ bytes }) => bytes ?? Buffer.alloc(0)));
    const leaves = Array.from({ length: size }, (_, at) =>
      hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    );
    expect(rootOf(append(EMPTY_TREE, leaves))).toEqual(root);
    const entries: Buffer[] = [];
    for (const { bytes = Buffer.alloc(0) } of bundles)
      for (let at = 0; at < bytes.length;) {
        const end = at + 2 + bytes.readUInt16BE(at);
        entries.push(bytes.subarray(at + 2, end));
        at = end;
      }
    expect(entries.map(entryHash)).toEqual(leaves);
    expect(entries.map((entry) => parseEntry(entry.toString()).epoch)).toEqual(
      entries.map((_, at) => at + 1),
    );
  });

  test("nothing names an account, and everything may be kept", async () => {
    const { bundles, checkpoint, tiles, vkey } = await readAll();
    for (const answer of [checkpoint, vkey, ...tiles, ...bundles]) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.headers) + answer.text).not.toMatch(/acct_/);
      expect(answer.text).not.toContain(account.accountId);
      const { headers } = answer;
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["vary"]).toBeUndefined();
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["etag"]).toMatch(/^"[\w-]{43}"$/);
    }
    for (const { headers } of [checkpoint, vkey]) {
      expect(headers["cache-control"]).toBe("public, max-age=5");
      expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    }
    for (const { headers } of [...tiles, ...bundles]) {
      expect(headers["cache-control"]).toBe(IMMUTABLE);
      expect(headers["content-type"]).toBe("application/octet-stream");
    }
  });

  test("is the same with a key, whatever it is, and with a query", async () => {
    const plain = await client.get("/log/tile/0/000.p/1");
    for (const key of [account.key, "annals_sk_unknown"]) {
      const answer = await client.as(key).get("/log/tile/0/000.p/1?a=1");
      expect(answer.status).toBe(200);
      expect(answer.bytes).toEqual(plain.bytes);
      expect(answer.headers["etag"]).toBe(plain.headers["etag"]);
    }
  });

  test("HEAD is GET without the body; 304 for who has it", async () => {
    const { headers } = await client.get("/log/tile/0/000.p/1");
    const head = await client.send("HEAD", "/log/tile/0/000.p/1");
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers["content-length"]).toBe(String(HASH_BYTES));
    expect(head.headers["etag"]).toBe(headers["etag"]);
    const known = { headers: { "if-none-match": headers["etag"] ?? "" } };
    const again = await client.get("/log/tile/0/000.p/1", known);
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
    expect(again.headers["cache-control"]).toBe(IMMUTABLE);
  });
});

describe("404", () => {
  const FAR = String(TILE_WIDTH - 1);
  test.each([
    ...NO_TILES.map((path) => `tile/${path}`),
    "",
    "x",
    "tile/0/999",
    `tile/7/000.p/${FAR}`,
    "tile/entries/999",
    "2/checkpoint",
    "1/vkey",
  ])("/log/%s", async (path) => {
    const answer = await client.get(`/log/${path}`);
    expectRefused(answer, "not_found");
    expect(answer.headers["cache-control"]).toBe("public, max-age=5");
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  test("other methods", async () => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expectRefused(await client.send(method, "/log/checkpoint"), "not_found");
  });
});

describe("422", () => {
  test("a body", async () => {
    const answer = await client.send("GET", "/log/checkpoint", { body: { a: 1 } });
    expectRefused(answer, "validation_error", { field: "" });
  });
});
