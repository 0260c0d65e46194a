// Guarantee: a ledger whose setting names another origin than its log has is not ready, and says so.

import { expect, test } from "vitest";
import { openPool } from "../testing/database.ts";
import { ORIGIN } from "../testing/log-signer.ts";
import { TestLog } from "../testing/test-log.ts";
import { originCheck } from "./origin-check.ts";

test("another origin, the same one, and none", async () => {
  const log = await TestLog.open();
  const database = openPool(log.owner.url);
  const other = originCheck(database, "log.example/other");
  expect(await other()).toBeUndefined();
  await log.newCloser().run();
  expect(await other()).toMatch(/^ANNALS_LOG_ORIGIN is log\.example\/other, and the log has/);
  expect(await originCheck(database, ORIGIN)()).toBeUndefined();
  expect(await originCheck(database, undefined)()).toBeUndefined();
});
