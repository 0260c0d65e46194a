// Guarantee: the SDKs make the same tables for an outbox, letter by letter, so that events and relays of
// several languages can share them. The sources are read: neither Python nor Go need be there.

import { OUTBOX_SCHEMA } from "@annals/sdk/outbox";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const PACKAGES = join(import.meta.dirname, "../../packages");

test.each([
  ["Python", "sdk-python/src/annals_sdk/outbox/statements.py", /^SCHEMA = """(.*?)"""$/ms],
  ["Go", "sdk-go/outbox/statements.go", /^const Schema = `(.*?)`$/ms],
])("the schema of %s is that of TypeScript", (_, file, literal) => {
  const [, schema] = literal.exec(readFileSync(join(PACKAGES, file), "utf8")) ?? [];
  expect(schema).toBe(OUTBOX_SCHEMA);
});
