// Guarantees: an expiry is after now and at most 3,650 days away, to the microsecond; addresses are kept
// once, in their one spelling and in order, and a network only if it begins at its first address.

import { formatMicros } from "@annals/contract";
import { expect, test } from "vitest";
import { allowedIpsOf, expiryOf } from "./key-restrictions.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30) * 1_000;
const LATEST = NOW + 3_650 * 86_400_000_000;
const clock = { nowMicros: () => NOW, nowText: () => formatMicros(NOW) };

test.each([NOW + 1, LATEST])("an expiry at %i is kept", (micros) => {
  expect(expiryOf(clock, formatMicros(micros))).toBe(formatMicros(micros));
});

test("an expiry is kept in UTC", () => {
  expect(expiryOf(clock, "2026-01-31T12:30:00+02:00")).toBe("2026-01-31T10:30:00.000000Z");
});

test.each([
  [formatMicros(NOW), "must be in the future"],
  [formatMicros(NOW - 1), "must be in the future"],
  [formatMicros(LATEST + 1), "must be at most 3650 days from now"],
  ["9999-12-31T23:59:59Z", "must be at most 3650 days from now"],
  ["", "must be a time with an offset, such as 2027-01-31T09:30:00Z"],
  ["2027-01-31", "must be a time with an offset, such as 2027-01-31T09:30:00Z"],
])("an expiry at %s is refused", (given, message) => {
  const faults = [{ field: "expires_at", message }];
  expect(() => expiryOf(clock, given)).toThrow(
    expect.objectContaining({ kind: "invalid", faults }),
  );
});

test("addresses are kept once, in their one spelling and in order", () => {
  const given = ["::1", "192.0.2.7/32", "10.0.0.0/8", "::ffff:192.0.2.7", "0:0::1", "::/0"];
  expect(allowedIpsOf(given)).toEqual(["::1", "192.0.2.7", "10.0.0.0/8", "::/0"]);
});

test.each([0, 51])("%i addresses are refused", (length) => {
  const given = Array.from({ length }, () => "192.0.2.7");
  const faults = [{ field: "allowed_ips", message: "must have 1 to 50 items" }];
  expect(() => allowedIpsOf(given)).toThrow(expect.objectContaining({ faults }));
});

test.each([
  ["10.0.0.1/8", "must be the first address of its network: 10.0.0.0/8"],
  ["here", "must be an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32"],
])("the address %s is refused by its index", (text, message) => {
  const faults = [{ field: "allowed_ips[1]", message }];
  expect(() => allowedIpsOf(["::1", text])).toThrow(expect.objectContaining({ faults }));
});
