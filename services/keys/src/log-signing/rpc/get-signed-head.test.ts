// Guarantees: the ledger is told which keys sign and how far a log was signed, also where the database has
// forgotten it. Without a key file there is no log. With a real PostgreSQL and the service's own rights.

import { GetSignedHeadRequestSchema } from "@annals/proto/keys";
import type { Pool } from "@annals/postgres";
import type { TestDatabase } from "@annals/testing";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { hash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import { HeadLog, keysOf, newKeyLine, signingProcess } from "../../testing/head-log.ts";
import { getSignedHead } from "./get-signed-head.ts";

const FILE = keysOf(newKeyLine(), newKeyLine());

let owner: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  ({ owner, service: pool } = await migratedDatabase());
});

const ask = async ({ signer }: ReturnType<typeof signingProcess>, origin = "") =>
  getSignedHead({ signer })(create(GetSignedHeadRequestSchema, { origin }), {} as HandlerContext);

test("the default origin is that of the newest key", async () => {
  const [newest = Buffer.alloc(0)] = FILE.publicKeys;
  const origin = `annals/${hash("sha256", newest).slice(0, 16)}`;
  const answer = await ask(signingProcess(pool, FILE));
  expect(answer).toEqual({ origin, publicKeys: FILE.publicKeys, size: 0n });
});

test("a log by its name, with the largest size that was signed, after a restore too", async () => {
  const keys = signingProcess(pool, FILE);
  const log = new HeadLog("log.example.com");
  for (const size of [1n, 2n]) {
    await keys.signEpoch(log.grow().epoch());
    expect(await ask(keys, log.origin)).toMatchObject({ origin: log.origin, size });
  }
  await owner.query("UPDATE keys.signed_heads SET size = 1");
  expect(await ask(keys, log.origin)).toMatchObject({ size: 2n });
  expect(keys.rollbacks()).toBe(1);
  expect(await ask(signingProcess(pool, FILE), log.origin)).toMatchObject({ size: 1n });
});

test("without a key file there is no key, and what was signed is known", async () => {
  expect(await ask(signingProcess(pool, undefined))).toEqual({
    origin: "",
    publicKeys: [],
    size: 0n,
  });
  await signingProcess(pool, FILE).signEpoch(new HeadLog("a").grow().epoch());
  const answer = await ask(signingProcess(pool, undefined), "a");
  expect(answer).toMatchObject({ publicKeys: [], size: 1n });
});

test("an origin that no log can have is refused", async () => {
  const refused = ask(signingProcess(pool, FILE), "a b");
  await expect(refused).rejects.toMatchObject({ faults: [{ field: "origin" }] });
});
