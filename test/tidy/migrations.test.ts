// Guarantee: a migration that a release has never changes, not even in a comment: `migrate` refuses a
// database to which another file was applied. What comes later is in a migration of its own.

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { textOf } from "../../deploy/generate/sources.ts";

/** SHA-256 of each migration that a release has. Add those of a new release. */
const RELEASED = {
  "services/export/migrations/0001_exports.sql":
    "821ae6e817635331f95538efd08f4fc61fc6d903aa03983b4c18de425e52d681",
  "services/keys/migrations/0001_keys.sql":
    "21a3f97d10fdd1c47ee2a14f017b30be1b1cdc3674c1f8dfa63ae7e4912e2e82",
  "services/ledger/migrations/0001_ledger.sql":
    "fd8c264ec6a5b5bd596ac37e39d5ec2409aade7a842982adf6d2deffa0f82fb2",
  "services/webhook-dispatcher/migrations/0001_webhooks.sql":
    "bb62ac1124c176def7e6fa1b6c34601e472dce5ee2a76a443ed6c85a1984a780",
};

test("the migrations of each release are as they were", () => {
  const digestOf = (path: string) => createHash("sha256").update(textOf(path)).digest("hex");
  const digests = Object.keys(RELEASED).map((path) => [path, digestOf(path)]);
  expect(Object.fromEntries(digests)).toStrictEqual(RELEASED);
});
