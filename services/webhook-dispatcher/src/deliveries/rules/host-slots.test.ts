// Guarantee: an account takes at most half of what is free of a host and port, in whatever spelling, and the
// slots come back. A wait ends when a slot is free, or after a moment.

import { expect, test } from "vitest";
import { hostAndPort, HostSlots } from "./host-slots.ts";

const MAX = 8;
const HOST = "example.com:443";

test("an account takes half of what is free, and the slots come back", () => {
  const hosts = new HostSlots(MAX);
  const take = (account: string) => hosts.take(HOST, account);
  const taken = Array.from({ length: MAX }, () => take("a")).filter(Boolean);
  expect(taken).toHaveLength(MAX / 2);
  expect([take("b"), take("b"), take("b")]).toEqual([true, true, false]);
  // The last one goes to an account that has none.
  expect([take("c"), take("c"), take("d"), take("e")]).toEqual([true, false, true, false]);
  for (const _ of taken) hosts.free(HOST, "a");
  expect(take("e")).toBe(true);
});

test("one host in other spellings is one; another port is another", () => {
  const urls = ["https://example.com/a", "https://EXAMPLE.com:443/b?c", "https://example.com./"];
  expect(new Set(urls.map(hostAndPort))).toEqual(new Set([HOST]));
  expect(hostAndPort("https://example.com:8443/")).not.toBe(HOST);
});

test("a wait ends when a slot is free, or after a moment", () => {
  const hosts = new HostSlots(1);
  for (const id of ["w1", "w2"]) hosts.know(id, "https://example.com/");
  expect([hosts.take(HOST, "a"), hosts.take(HOST, "b")]).toEqual([true, false]);
  expect(hosts.wait("w2", "b", 0)).toBe(true);
  expect(hosts.expire(999)).toEqual([]);
  expect(hosts.free(HOST, "a")).toBe("w2");
  expect(hosts.take(HOST, "a")).toBe(true);
  expect(hosts.wait("w2", "b", 0)).toBe(true);
  expect(hosts.expire(1_000)).toEqual(["w2"]);
  expect(hosts.free(HOST, "a")).toBeUndefined();
});
