// Guarantee: what the coordinator of a Citus cluster reports as an internal error, because a worker or a
// shard is away at the moment, is unavailable. Any other internal error stays one. A transaction that lost a
// conflict with another may be tried again, and is not called an outage.

import { expect, test } from "vitest";
import { statement } from "./statement.ts";
import { newDatabase, openPool } from "./testing/test-server.ts";

const UNAVAILABLE = { name: "AnnalsError", kind: "unavailable", retryAfterS: 1 };

test.each([
  ["failure on connection marked as essential: 10.0.0.7:5432", UNAVAILABLE],
  ["failed to prepare transaction 'citus_0_1' on host 10.0.0.7:5432", UNAVAILABLE],
  ["could not find valid entry for shard 102021", UNAVAILABLE],
  ["cache lookup failed for relation 7", { code: "XX000" }],
])(
  "of internal errors, those of a lost worker or shard are unavailable: %s",
  async (message, expected) => {
    const pool = openPool((await newDatabase()).url);
    const text = message.replaceAll("'", "''");
    const raise = statement<[], object>(
      `/* test.raise */ DO $$ BEGIN RAISE EXCEPTION '${text}' USING ERRCODE = 'XX000'; END $$`,
      { route: "local" },
    );
    await expect(pool.run(raise, [])).rejects.toMatchObject(expected);
  },
);

test.each(["40001", "40P01"])("a transaction that ends with %s was rolled back", async (code) => {
  const pool = openPool((await newDatabase()).url, { maxConnections: 1 });
  const raise = statement<[], object>(
    `/* test.raise */ DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '${code}'; END $$`,
    { route: "local" },
  );
  const message = "The transaction was rolled back. Try again.";
  await expect(pool.run(raise, [])).rejects.toMatchObject({ ...UNAVAILABLE, message });
});
