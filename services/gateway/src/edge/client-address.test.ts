// Guarantee: a client's address is that of its peer, and behind trusted proxies the rightmost address that is
// not theirs. What an untrusted peer writes into a header changes nothing. An IPv6 client is its network.

import { parseConfig } from "@annals/chassis";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { SETTINGS } from "../config.ts";
import { clientAddress, clientIp } from "./client-address.ts";

const { trustedProxies } = SETTINGS;
const trust = (given: string) =>
  parseConfig({ trustedProxies }, { ANNALS_TRUSTED_PROXIES: given }).trustedProxies;

const TRUSTED = trust("10.0.0.0/8,::1,2001:db8:9::/48");
const NO_PROXY = trust("");

const address = (remoteAddress: string | undefined, forwarded?: string, trusted = TRUSTED) =>
  clientAddress(
    {
      socket: { remoteAddress } as IncomingMessage["socket"],
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    },
    trusted,
  );

test.each<[string, string | undefined, string | undefined, string]>([
  ["the peer", "192.0.2.1", undefined, "192.0.2.1"],
  ["the peer over an IPv6 socket", "::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["a peer that has gone", undefined, undefined, ""],
  ["an untrusted peer with a header", "192.0.2.1", "198.51.100.7", "192.0.2.1"],
  ["a trusted peer without a header", "10.1.2.3", undefined, "10.1.2.3"],
  ["a trusted peer", "10.1.2.3", "198.51.100.7", "198.51.100.7"],
  ["a trusted peer over an IPv6 socket", "::ffff:10.1.2.3", "198.51.100.7", "198.51.100.7"],
  ["a trusted IPv6 peer", "::1", "198.51.100.7", "198.51.100.7"],
  ["what the client wrote itself", "10.1.2.3", "203.0.113.9, 198.51.100.7", "198.51.100.7"],
  ["two trusted proxies", "10.1.2.3", "198.51.100.7, 10.9.9.9", "198.51.100.7"],
  [
    "a chain that the client made up, of trusted proxies",
    "10.1.2.3",
    "203.0.113.9, 10.7.7.7, ::1, 198.51.100.7, 10.9.9.9",
    "198.51.100.7",
  ],
  ["a client that names itself a proxy", "192.0.2.1", "10.7.7.7, 10.9.9.9", "192.0.2.1"],
  ["a made-up entry that is no address", "10.1.2.3", "x, 198.51.100.7", "198.51.100.7"],
  ["trusted proxies of both families", "::1", "198.51.100.7, 2001:db8:9::5", "198.51.100.7"],
  ["a proxy as a mapped address", "10.1.2.3", "198.51.100.7, ::ffff:10.9.9.9", "198.51.100.7"],
  ["a proxy as a mapped address in hexadecimal", "10.1.2.3", "::ffff:c633:6407", "198.51.100.7"],
  ["a client as a mapped address", "10.1.2.3", "::FFFF:198.51.100.7", "198.51.100.7"],
  ["an IPv6 proxy in another spelling", "2001:0DB8:0009::1", "198.51.100.7", "198.51.100.7"],
  ["an IPv6 proxy with a zone", "2001:db8:9::1%eth0", "198.51.100.7", "198.51.100.7"],
  ["only trusted ones", "10.1.2.3", "10.8.8.8,10.9.9.9", "10.8.8.8"],
  ["a port", "10.1.2.3", "198.51.100.7:4711", "198.51.100.7"],
  ["an IPv6 address with a port", "10.1.2.3", "[2001:db8::1]:4711", "2001:db8:0:0::/64"],
  ["no address", "10.1.2.3", "unknown", "10.1.2.3"],
  ["no address before a trusted one", "10.1.2.3", "_hidden, 10.9.9.9", "10.9.9.9"],
  ["an empty header", "10.1.2.3", "", "10.1.2.3"],
])("%s", (_, peer, forwarded, expected) => {
  expect(address(peer, forwarded)).toBe(expected);
});

test("no proxy is trusted by default", () => {
  expect(address("10.1.2.3", "198.51.100.7", NO_PROXY)).toBe("10.1.2.3");
});

test.each([
  "2001:db8:1:2:3:4:5:6",
  "2001:0DB8:0001:0002::",
  "2001:db8:1:2::1%eth0",
  "2001:db8:1:2::192.0.2.1",
])("the network of %s", (peer) => {
  expect(address(peer)).toBe("2001:db8:1:2::/64");
});

test("another network is another client", () => {
  expect(address("2001:db8:1:3::1")).not.toBe(address("2001:db8:1:2::1"));
  expect(address("::2")).toBe("0:0:0:0::/64");
});

test.each([
  ["2001:DB8:1:2:3:4:5:6", undefined, "2001:db8:1:2:3:4:5:6"],
  ["fe80::1%eth0", undefined, "fe80::1"],
  ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["::ffff:c000:201", undefined, "192.0.2.1"],
  ["::1", "192.0.2.9, 2001:db8::7", "2001:db8::7"],
  ["192.0.2.1", "10.0.0.1", "192.0.2.1"],
  [undefined, undefined, ""],
])("where %s, forwarded for %s, came from", (remoteAddress, forwarded, expected) => {
  const socket = { remoteAddress } as IncomingMessage["socket"];
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  expect(clientIp({ headers, socket }, TRUSTED)).toBe(expected);
});
