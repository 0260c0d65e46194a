// Guarantees: each address and network has one spelling; an address is in a network by its bits alone, at
// every edge of it; a mapped IPv4 address is that IPv4 address; the families are never in each other.

import { BlockList, isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import { isInNetworks, networkText, plainAddress } from "./ip-network.ts";

describe("the one spelling", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0::7", "2001:db8::7"],
    ["2001:db8::7/128", "2001:db8::7"],
    ["2001:0db8::/32", "2001:db8::/32"],
    ["::/0", "::/0"],
    ["::1", "::1"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
  ])("of %s is %s", (given, text) => {
    expect(networkText(given)).toEqual({ text, hasHostBits: false });
    expect(networkText(text)).toEqual({ text, hasHostBits: false });
  });

  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.7/0", "0.0.0.0/0"],
    ["192.0.2.7/31", "192.0.2.6/31"],
    ["2001:db8::1/127", "2001:db8::/127"],
    ["::ffff:192.0.2.7/120", "192.0.2.0/24"],
    ["::ffff:0:0/95", "::fffe:0:0/95"],
  ])("of %s, which has host bits, is %s", (given, text) => {
    expect(networkText(given)).toEqual({ text, hasHostBits: true });
  });

  test.each([
    "",
    " ",
    "x",
    "10",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0.1/33",
    "10.0.0.1/-1",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "10.0.0.0/8 ",
    "10.0.0.0/255.0.0.0",
    "/8",
    "::1/129",
    "fe80::1%eth0",
    "[::1]",
    "::1::",
    "1.2.3.4:80",
    "*",
  ])("%j is no network", (given) => {
    expect(networkText(given)).toBeUndefined();
  });

  test("of an address has no zone", () => {
    expect(plainAddress("fe80::1%eth0")).toBe("fe80::1");
    expect(plainAddress("::FFFF:10.0.0.1")).toBe("10.0.0.1");
    expect(plainAddress("x")).toBe("x");
  });
});

describe("an address is in a network", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7/32", true],
    ["192.0.2.8", "192.0.2.7/32", false],
    ["0.0.0.0", "0.0.0.0/0", true],
    ["255.255.255.255", "0.0.0.0/0", true],
    ["10.0.0.0", "10.0.0.0/8", true],
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["9.255.255.255", "10.0.0.0/8", false],
    ["192.0.2.6", "192.0.2.6/31", true],
    ["192.0.2.8", "192.0.2.6/31", false],
    ["2001:db8::7", "2001:db8::7", true],
    ["2001:db8::8", "2001:db8::7/128", false],
    ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::/32", true],
    ["2001:db9::", "2001:db8::/32", false],
    ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "::/0", true],
    ["10.0.0.1", "::/0", false],
    ["::1", "0.0.0.0/0", false],
    ["10.0.0.1", "::ffff:10.0.0.0/104", true],
    ["", "0.0.0.0/0", false],
    ["x", "::/0", false],
  ])("%s in %s: %s", (address, network, expected) => {
    expect(isInNetworks(address, [network])).toBe(expected);
  });

  test("if it is in any of them, and in no empty list", () => {
    expect(isInNetworks("::1", ["10.0.0.0/8", "::1"])).toBe(true);
    expect(isInNetworks("::1", [])).toBe(false);
  });

  test("agrees with the BlockList of Node.js, for every length", () => {
    for (const [inside, family] of [
      ["198.51.100.213", "ipv4"],
      ["2001:db8:1234:5678:9abc:def0:1357:9bdf", "ipv6"],
    ] as const)
      for (let length = 0; length <= (isIPv6(inside) ? 128 : 32); length += 1) {
        const network = networkText(`${inside}/${length}`)?.text ?? "";
        const list = new BlockList();
        list.addSubnet(inside, length, family);
        const others = isIPv6(inside)
          ? ["2001:db8:1234:5678:9abc:def0:1357:9bde", "2001:db8:1234:5678::", "::", "3001::"]
          : ["198.51.100.212", "198.51.100.0", "0.0.0.0", "198.0.0.0", "70.51.100.213"];
        for (const one of [inside, ...others])
          expect([one, network, isInNetworks(one, [network])]).toEqual([
            one,
            network,
            list.check(one, family),
          ]);
      }
  });
});
