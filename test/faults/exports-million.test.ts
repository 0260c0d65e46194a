// A million events with proofs are exported and downloaded, as lines and as Parquet, while ledger, export and
// gateway stay below 200 MB each, and the file is verified offline. The short form takes a tenth of them:
// what a process holds does not depend on their number, and the bound is the same.

import { newClient } from "@annals/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyFile } from "annals-verify";
import { expect, inject, onTestFinished, test } from "vitest";
import { loadLongChain } from "../bench/long-chain.ts";
import { startConstellation } from "../system/constellation.ts";
import { exportAll, MAX_RSS_MB } from "../system/exports-large.ts";
import { report } from "../system/report.ts";

const EVENTS = { full: 1_000_000, short: 100_000 }[inject("form").name];
const WITHIN_MS = 10 * 60_000;

test.each(["jsonl", "parquet"])("a large export as %s in bounded memory", async (format) => {
  const stack = await startConstellation({ rateLimitPerMinute: 1_000_000 });
  onTestFinished(() => stack.stop());
  const folder = await mkdtemp(join(tmpdir(), "annals-exports-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { client, ...account } = await newClient(stack);
  onTestFinished(() => client.close());
  await loadLongChain(stack.databaseUrl, account.accountId, EVENTS);

  const file = join(folder, `large.${format}`);
  const { data, sha256, held } = await exportAll(
    { stack, account, client, format },
    file,
    WITHIN_MS,
  );
  expect(data).toMatchObject({ event_count: EVENTS, sha256 });
  expect(held.filter(({ mb }) => mb >= MAX_RSS_MB)).toEqual([]);
  expect(await verifyFile(file, { sha256 })).toMatchObject({ events: EVENTS, linksUnchecked: 0 });
  report({
    [`${format} events`]: EVENTS,
    ...Object.fromEntries(held.map(({ name, mb }) => [`${name} MB`, mb])),
  });
});
