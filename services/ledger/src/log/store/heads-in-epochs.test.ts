// Guarantee: what a page of heads looks up at once costs what is asked for and not what the log has, although
// PostgreSQL has no statistics of it, and whether it plans for the parameters or for any.

import { explain, ON_ONE_SERVER, type TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newLedgerDatabase } from "../../testing/database.ts";
import { getServingEpochs } from "./epochs.ts";
import { getHeadsInEpochs } from "./get-account-head.ts";
import { listAnchorsOfEpochs } from "./list-anchors.ts";

const EPOCHS = 10_000;
const ASKED = Array.from({ length: 50 }, (_, at) => String(1 + at * 199));
/** Blocks of 8 KiB for one that is looked up: the index from its root, and the row. */
const BLOCKS_OF_ONE = 6;

let database: TestDatabase;

beforeAll(async () => {
  database = await newLedgerDatabase(afterAll);
  for (const table of ["account_heads", "anchors", "epochs"])
    await database.query(`ALTER TABLE ledger.${table} SET (autovacuum_enabled = false)`);
  await database.query(
    `INSERT INTO ledger.account_heads (account_id, log, epoch, size, root)
     SELECT 'acct_a', 1, epoch, epoch, decode(repeat('00', 32), 'hex') FROM generate_series(1, $1::bigint) AS epoch`,
    [EPOCHS],
  );
  await database.query(
    `INSERT INTO ledger.epochs (log, epoch, entry, time, checkpoint, quorum_at)
     SELECT 1, epoch, '', '', '', now() FROM generate_series(1, $1::bigint) AS epoch`,
    [EPOCHS],
  );
  await database.query(
    `INSERT INTO ledger.anchors (log, epoch, kind, name, bytes, time)
     SELECT 1, epoch, kind, 'one', '', now() FROM generate_series(1, $1::bigint) AS epoch
     CROSS JOIN unnest(ARRAY['witness', 'timestamp']) AS kind`,
    [EPOCHS],
  );
});

describe.runIf(ON_ONE_SERVER).each(["generic", "custom"] as const)("with %s plans", (plans) => {
  test("the heads of an account", async () => {
    const params = ["acct_a", 1, ASKED] as [string, number, string[]];
    const { blocks, rows } = await explain(database, getHeadsInEpochs, params, plans);
    expect(rows).toBe(ASKED.length);
    expect(blocks).toBeLessThan(BLOCKS_OF_ONE * ASKED.length);
  });

  test("the serving epochs", async () => {
    const { blocks, rows } = await explain(database, getServingEpochs, [1, ASKED], plans);
    expect(rows).toBe(ASKED.length);
    expect(blocks).toBeLessThan(BLOCKS_OF_ONE * ASKED.length);
  });

  test("what others have signed of them", async () => {
    const params = [1, ASKED, ["timestamp", "witness"]] as [number, string[], string[]];
    const { blocks, rows } = await explain(database, listAnchorsOfEpochs, params, plans);
    expect(rows).toBe(2 * ASKED.length);
    expect(blocks).toBeLessThan(BLOCKS_OF_ONE * 2 * ASKED.length);
  });
});
