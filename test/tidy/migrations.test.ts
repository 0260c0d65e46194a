// Guarantee: a migration that a release has never changes, not even in a comment: `migrate` refuses a
// database to which another file was applied. What comes later is in a migration of its own.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { textOf } from "../../deploy/generate/sources.ts";

/** SHA-256 of each migration that a release has. Add those of a new release. */
const RELEASED = {
  "services/export/migrations/0001_exports.sql":
    "faf0f7eb6926c5ab0d597e1df9231c2610ecb9a06e43a6116b1319f79e928bf8",
  "services/keys/migrations/0001_keys.sql":
    "472f2865f890c066bc70a08a07830e3337dfda5d07fa09db85d2a68dabb35ce6",
  "services/ledger/migrations/0001_ledger.sql":
    "501df0449860948dd15a709a76ae5f5ff03ba32f974cad295eb01d3575975e2c",
  "services/webhook-dispatcher/migrations/0001_webhooks.sql":
    "23abead5516c16533437dd7a98bb8f49455203d07b26d6fd1e7f8da7e11cce0b",
};

test("the migrations of each release are as they were", () => {
  const digestOf = (path: string) => createHash("sha256").update(textOf(path)).digest("hex");
  const digests = Object.keys(RELEASED).map((path) => [path, digestOf(path)]);
  expect(Object.fromEntries(digests)).toStrictEqual(RELEASED);
});
