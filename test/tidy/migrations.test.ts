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
    "49811ebc3b295f9233331a661ce7a0c73bb259f75fe6cfccf8e69213f1b753a2",
  "services/ledger/migrations/0001_ledger.sql":
    "754a91c900d82dcaa4e6c2b9e6e680083b23b8c9c4701c2ada08b3bc68032b63",
  "services/webhook-dispatcher/migrations/0001_webhooks.sql":
    "0622010e16c8886936e041048a6a69386a04414fc448d66c1a117fd912602691",
};

test("the migrations of each release are as they were", () => {
  const digestOf = (path: string) => createHash("sha256").update(textOf(path)).digest("hex");
  const digests = Object.keys(RELEASED).map((path) => [path, digestOf(path)]);
  expect(Object.fromEntries(digests)).toStrictEqual(RELEASED);
});
