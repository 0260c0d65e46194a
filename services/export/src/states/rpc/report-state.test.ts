// Guarantee: the state of an account has how many exports wait or are being written, and since when; without
// accounts, those are reported whose oldest has waited longest. More than 100 accounts are refused.

import { ReportStateRequestSchema } from "@annals/proto/exports";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { expect, inject, onTestFinished, test } from "vitest";
import { TestExports } from "../../testing/test-exports.ts";
import { reportState } from "./report-state.ts";

const OLD = "2026-01-31T09:30:00.000000Z";
const NEWER = "2026-01-31T09:31:00.000000Z";

async function begin() {
  const exports = await TestExports.open(inject("stack").databaseUrl);
  onTestFinished(() => exports.close());
  const handle = reportState({ database: exports.pool });
  const report = async (...accountIds: string[]) => {
    const asked = create(ReportStateRequestSchema, { accountIds });
    return (await handle(asked, {} as HandlerContext)).states;
  };
  return { exports, report };
}

test("counts the exports that are in progress, of each account", async () => {
  const { exports, report } = await begin();
  await exports.queue("acct_1", NEWER);
  await exports.queue("acct_1", OLD);
  const done = await exports.queue("acct_2", OLD);
  await exports.database.query("UPDATE exports.jobs SET status = 'failed' WHERE id = $1", [done]);
  await exports.queue("acct_3", OLD);
  expect(await report("acct_1", "acct_2")).toEqual([
    { accountId: "acct_1", openExports: 2, oldestCreatedAt: OLD },
  ]);
});

test("without accounts, reports those that have waited longest", async () => {
  const { exports, report } = await begin();
  expect(await report()).toEqual([]);
  await exports.queue("acct_1", NEWER);
  await exports.queue("acct_2", OLD);
  expect(await report()).toMatchObject([{ accountId: "acct_2" }, { accountId: "acct_1" }]);
});

test("refuses more than 100 accounts", async () => {
  const { report } = await begin();
  const many = Array.from({ length: 101 }, (_, index) => `acct_${index}`);
  await expect(report(...many)).rejects.toThrow("at most 100");
});
