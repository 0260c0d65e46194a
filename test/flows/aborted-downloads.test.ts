// Guarantee: downloads that their clients break off leave no line in a log that is not JSON, and no warning:
// a client that goes away is nothing that an operator must read.

import { HttpClient, newAccount } from "@annals/testing";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { startConstellation } from "../system/constellation.ts";

const DOWNLOADS = 100;
const AT_ONCE = 20;
let stack: Awaited<ReturnType<typeof startConstellation>>;

beforeAll(async () => {
  stack = await startConstellation({ shared: inject("stack"), rateLimitPerMinute: 10_000 });
});
afterAll(() => stack.stop());

/** Reads the first bytes and disconnects. */
function breakOff(url: string, authorization: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { authorization } }, (response) => {
      response.on("error", () => {});
      response.once("data", () => {
        request.destroy();
        resolve();
      });
    });
    request.on("error", reject);
  });
}

test("aborted downloads", async () => {
  const { key } = await newAccount(stack.databaseUrl);
  const client = new HttpClient(stack.baseUrls[0] ?? "").as(key);
  const metadata = { text: "x".repeat(2_000) };
  for (let batch = 0; batch < 10; batch += 1) {
    const events = Array.from({ length: 500 }, () => ({ action: "a", metadata }));
    await client.post("/v1/events/batch", { events });
  }
  const { id } = (await client.post("/v1/exports", {})).body.data;
  await ended(client, id);
  const url = `${stack.baseUrls[0]}/v1/exports/${id}/content`;
  for (let done = 0; done < DOWNLOADS; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => breakOff(url, `Bearer ${key}`)));
  for (const service of ["gateway", "export"]) {
    const text = await readFile(join(stack.dataDir, "log", `${service}-1.log`), "utf8");
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
    expect(lines.map((line) => JSON.parse(line).level)).not.toContain("warn");
  }
});
