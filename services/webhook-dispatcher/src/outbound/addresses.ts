// Which addresses a delivery may go to: only public ones, and none that reaches anything near the service.
// Called by address-guard.ts for literals and for the addresses of names. It must refuse anything that it
// cannot read as an address.
//
// Sources: the IANA special-purpose address registries (RFC 6890 and later entries), RFC 4291, 6052, 8215,
// 3056, 4380. In IPv6 only the global unicast space 2000::/3, and NAT64 of a public IPv4 address, can
// be public.

import { BlockList, isIPv4, isIPv6 } from "node:net";

type Range = readonly [prefix: string, bits: number];

/** IPv4 ranges that are not public. */
const IPV4_REFUSED: readonly Range[] = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT; metadata of one cloud
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // metadata of one cloud
  ["169.254.0.0", 16], // link-local; metadata of most clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // IETF protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.31.196.0", 24], // AS112
  ["192.52.193.0", 24], // AMT
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["192.175.48.0", 24], // AS112
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

/** Ranges within 2000::/3 that are not public. */
const IPV6_REFUSED: readonly Range[] = [
  ["2001::", 23], // IETF protocol assignments: Teredo, ORCHID, benchmarks and others
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address in disguise
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20], // documentation
];

/** The only spaces with public addresses. */
const IPV6_PUBLIC: readonly Range[] = [
  ["2000::", 3], // global unicast
  ["64:ff9b::", 96], // NAT64: the last four bytes are an IPv4 address
];

const NAT64_REFUSED = IPV4_REFUSED.map(([prefix, bits]): Range => [
  `64:ff9b::${prefix}`,
  96 + bits,
]);

const REFUSED = blockList(IPV4_REFUSED, [...IPV6_REFUSED, ...NAT64_REFUSED]);
const PUBLIC = blockList([], IPV6_PUBLIC);

/** Whether `address`, from a resolver or a URL and without brackets, is public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !REFUSED.check(address, "ipv4");
  // A zone names an interface of this machine.
  if (!isIPv6(address) || address.includes("%")) return false;
  return PUBLIC.check(address, "ipv6") && !REFUSED.check(address, "ipv6");
}

function blockList(ipv4: readonly Range[], ipv6: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [prefix, bits] of ipv4) list.addSubnet(prefix, bits, "ipv4");
  for (const [prefix, bits] of ipv6) list.addSubnet(prefix, bits, "ipv6");
  return list;
}
