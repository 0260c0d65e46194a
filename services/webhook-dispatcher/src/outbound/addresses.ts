// Which addresses a delivery may go to: those that are public, and none that stands for something
// near the service. Called by the guard for literals and for what names resolve to. Whatever cannot
// be read as an address is refused.
//
// Sources: the IANA special-purpose address registries (RFC 6890 and what was added since), RFC
// 4291, 6052, 8215, 3056, 4380. Of IPv6 only the global unicast space 2000::/3 can be public, and
// NAT64 where it stands for a public IPv4 address.

import { isIPv4, isIPv6 } from "node:net";

type Range = readonly [prefix: string, bits: number];

/** Never public. */
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

/** Within 2000::/3 and not public. */
const IPV6_REFUSED: readonly Range[] = [
  ["2001::", 23], // IETF protocol assignments: Teredo, ORCHID, benchmarks and others
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: stands for an IPv4 address
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20], // documentation
];

const IPV6_GLOBAL: Range = ["2000::", 3];
/** The last four bytes are an IPv4 address. */
const NAT64: Range = ["64:ff9b::", 96];

/** Whether `address` (as a resolver or a URL gives it, without brackets) is public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) {
    const bytes = ipv4Bytes(address);
    return !IPV4_REFUSED.some((range) => isWithin(bytes, range));
  }
  // A zone names an interface of this machine.
  if (!isIPv6(address) || address.includes("%")) return false;
  const bytes = ipv6Bytes(address);
  if (isWithin(bytes, NAT64)) return isPublicAddress(bytes.slice(12).join("."));
  return isWithin(bytes, IPV6_GLOBAL) && !IPV6_REFUSED.some((range) => isWithin(bytes, range));
}

function isWithin(bytes: readonly number[], [prefix, bits]: Range): boolean {
  const wanted = isIPv4(prefix) ? ipv4Bytes(prefix) : ipv6Bytes(prefix);
  return wanted.every((byte, index) => {
    const left = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - left)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

function ipv4Bytes(address: string): number[] {
  return address.split(".").map(Number);
}

/** Of an address that isIPv6 has accepted, without a zone. */
function ipv6Bytes(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const front = groupBytes(head);
  const back = groupBytes(tail ?? "");
  return [...front, ...Array<number>(16 - front.length - back.length).fill(0), ...back];
}

function groupBytes(groups: string): number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return ipv4Bytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
