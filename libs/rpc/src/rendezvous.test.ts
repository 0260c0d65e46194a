// Guarantee: keys are spread evenly over servers. A server that comes or goes moves its own keys and no
// others, whatever the order of the servers.

import fc from "fast-check";
import { expect, test } from "vitest";
import { hash32, highest } from "./rendezvous.ts";

const KEYS = Array.from({ length: 3_000 }, (_, n) => `acct_${(n * 7_919).toString(32)}`);
const serversOf = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, hash: hash32(address) }));
const everyServer = () => true;
const ADDRESSES = ["10.0.0.1:8082", "10.0.0.2:8082", "10.0.0.3:8082", "10.0.0.4:8082"];

test("each of some servers has its share of the keys, within a fifth", () => {
  for (let count = 2; count <= ADDRESSES.length; count += 1) {
    const servers = serversOf(ADDRESSES.slice(0, count));
    const chosen = Map.groupBy(KEYS, (key) => highest(key, servers, everyServer)?.address);
    const share = KEYS.length / count;
    for (const { address } of servers) {
      expect(chosen.get(address)?.length).toBeGreaterThan(share * 0.8);
      expect(chosen.get(address)?.length).toBeLessThan(share * 1.2);
    }
  }
});

test("a server that goes moves its own keys only, in any order of the others", () => {
  const shuffled = fc.shuffledSubarray(ADDRESSES, { minLength: ADDRESSES.length });
  fc.assert(
    fc.property(
      fc.constantFrom(...ADDRESSES),
      fc.constantFrom(...KEYS),
      shuffled,
      (gone, key, order) => {
        const before = highest(key, serversOf(ADDRESSES), everyServer)?.address;
        const left = serversOf(order.filter((address) => address !== gone));
        const after = highest(key, left, everyServer)?.address;
        if (before === gone) expect(after).not.toBe(gone);
        else expect(after).toBe(before);
      },
    ),
  );
});

test("a server that is not free is passed over, unless none is free", () => {
  const servers = serversOf(ADDRESSES);
  for (const key of KEYS.slice(0, 100)) {
    const first = highest(key, servers, everyServer);
    const next = highest(key, servers, (server) => server !== first);
    const left = servers.filter((server) => server !== first);
    expect(next).toBe(highest(key, left, everyServer));
    expect(highest(key, servers, () => false)).toBe(first);
  }
  expect(highest("acct_1", [], everyServer)).toBeUndefined();
});
