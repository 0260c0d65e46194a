// Guarantee: the prefix of roles is what makes names of roles in PostgreSQL that need no quotes, with the
// longest ending within 63 bytes, and never a name that belongs to PostgreSQL.

import { expect, test } from "vitest";
import { databaseSettings } from "./settings.ts";

const parse = (text: string) => databaseSettings.databaseRolePrefix.parse(text);

test.each(["annals", "a", "staging_2", "pgannals", "a".repeat(40)])("%s is a prefix", (prefix) => {
  expect(parse(prefix)).toBe(prefix);
  expect(`${prefix}_webhooks`.length).toBeLessThanOrEqual(63);
});

test.each(["", "a".repeat(41), "A", "2a", "_a", "a-b", "a b", 'a"', "ä", "pg", "pg_a"])(
  "%j is none",
  (prefix) => {
    expect(() => parse(prefix)).toThrow(
      "must be 1 to 40 lower-case letters, digits and underscores, begin with a letter, and not with pg_",
    );
  },
);
