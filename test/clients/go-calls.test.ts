// Guarantee: the Go SDK has a method for every route that the service documents, each works against the
// service, and its types have every member of the responses. Go makes the calls (go/calls).

import { markDelivered, newAccount } from "@annals/testing";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { hasGo } from "../system/go.ts";
import { buildGo } from "./go-driver.ts";

const POLL_MS = 10;

const run = promisify(execFile);

/** What the service's own document says of its routes: `GET /v1/events/{}`. */
async function documented(baseUrl: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
    ),
  );
}

/** Ids, and the places of tiles, as the document has them. */
const templateOf = (line: string) =>
  line
    .replaceAll(/(?<=\/)[a-z]+_\w+/g, "{}")
    .replace(/\/tile\/entries\/.*/, "/tile/entries/{}")
    .replace(/\/tile\/\d.*/, "/tile/{}/{}");

test.runIf(hasGo)("every route", async () => {
  const { baseUrl, databaseUrl } = inject("stack");
  const { accountId, key } = await newAccount(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "annals-go-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [program] = await buildGo("calls", folder);
  let isDone = false;
  const running = run(program, [baseUrl, key]).finally(() => (isDone = true));
  while (!isDone) {
    await markDelivered(databaseUrl, accountId);
    await Promise.race([running.catch(() => {}), pause(POLL_MS)]);
  }
  const { stdout } = await running;
  const called = new Set(stdout.trim().split("\n").map(templateOf));
  expect([...called].toSorted()).toEqual((await documented(baseUrl)).toSorted());
});
