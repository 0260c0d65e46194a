// Guarantee: downloads that their clients break off leave no file open, no line in a log that is not JSON,
// and no warning: a client that goes away is nothing that an operator must read. The logs and files are those
// of the system, so it is the file's own.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ended } from "../system/exports-client.ts";
import { startConstellation } from "../system/constellation.ts";

const DOWNLOADS = 20;
let stack: Awaited<ReturnType<typeof startConstellation>>;

beforeAll(async () => {
  stack = await startConstellation({
    shared: inject("stack"),
    without: ["nats", "webhook-dispatcher"],
  });
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
  // Ten megabytes, more than fits between two sockets.
  const metadata = { text: "x".repeat(50_000) };
  const events = Array.from({ length: 20 }, () => ({ action: "a", metadata }));
  for (let batch = 0; batch < 10; batch += 1)
    expect((await client.post("/v1/events/batch", { events })).status).toBe(201);
  const { id } = (await client.post("/v1/exports", {})).body.data;
  await ended(client, id);
  const url = `${stack.baseUrls[0]}/v1/exports/${id}/content`;
  const before = await logs();
  await Promise.all(Array.from({ length: DOWNLOADS }, () => breakOff(url, `Bearer ${key}`)));
  await eventually("no file of an export is open", () => openExports().length === 0);
  expect((await client.get(`/v1/exports/${id}`)).status).toBe(200);
  for (const [at, text] of (await logs()).entries()) {
    const written = text.slice(before[at]?.length).split("\n").slice(0, -1);
    expect(written.filter((line) => !line.startsWith("{"))).toEqual([]);
    expect(written.filter((line) => JSON.parse(line).level === "warn")).toEqual([]);
  }
});

const logs = () =>
  Promise.all(
    ["gateway", "export"].map((service) =>
      readFile(join(stack.dataDir, "log", `${service}-1.log`), "utf8"),
    ),
  );

/** The files of exports that the service has open; none where the system does not say. */
function openExports(): string[] {
  const exporter = stack.processes.find(({ service }) => service === "export");
  const open = `/proc/${exporter?.pid()}/fd`;
  if (!existsSync(open)) return [];
  const linked = (name: string): string => {
    try {
      return readlinkSync(join(open, name));
    } catch {
      return "";
    }
  };
  return readdirSync(open)
    .map(linked)
    .filter((path) => path.includes("/exports/"));
}
