// IP addresses and networks as texts: the one spelling of each, and whether an address is in a network.
// Called by the gateway and the keys service, which decide where a key may be used from. An IPv4 address
// that is written as IPv6 is the IPv4 address. It must never take a text for a network that it cannot
// compare.

import { isIP, isIPv6, SocketAddress } from "node:net";

const MAPPED = "::ffff:";
/** Bits before the IPv4 address in a mapped one. */
const MAPPED_BITS = 96;
const BITS = { 4: 32, 6: 128 } as const;
const GROUPS = 8;
const GROUP_BITS = 16n;
const BYTE_BITS = 8n;

/** An address in its one spelling: no zone, IPv4 if it is mapped. Another text stays as it is. */
export function plainAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [bare = ""] = address.split("%");
  const spelt = new SocketAddress({ address: bare, family: "ipv6" }).address;
  return spelt.startsWith(MAPPED) && spelt.includes(".") ? spelt.slice(MAPPED.length) : spelt;
}

interface Network {
  /** Plain. */
  readonly address: string;
  readonly family: 4 | 6;
  readonly length: number;
}

/** What a text names as a network: its one spelling, of one address without a length. */
export interface NetworkText {
  readonly text: string;
  /** Whether bits beyond the length are set, which `text` has not. */
  readonly hasHostBits: boolean;
}

/** Undefined for a text that is neither an address nor a network. */
export function networkText(given: string): NetworkText | undefined {
  const network = parse(given);
  if (network === undefined) return undefined;
  const { address, family, length } = network;
  const all = bitsOf(address, family);
  const host = BigInt(BITS[family] - length);
  const base = (all >> host) << host;
  const bare = addressOf(base, family);
  const text = length === BITS[family] ? bare : `${bare}/${length}`;
  return { text, hasHostBits: base !== all };
}

/**
 * The first and the last address of a network, written so that their order is that of texts: 4 or 6 and the
 * bytes in hexadecimal. Undefined for a text that is neither an address nor a network.
 */
export function networkKeys(given: string): { first: string; last: string } | undefined {
  const network = parse(given);
  if (network === undefined) return undefined;
  const { address, family, length } = network;
  const host = BigInt(BITS[family] - length);
  const base = (bitsOf(address, family) >> host) << host;
  const keyOf = (bits: bigint) => `${family}${bits.toString(16).padStart(BITS[family] / 4, "0")}`;
  return { first: keyOf(base), last: keyOf(base + (1n << host) - 1n) };
}

/** Whether a plain address is in one of the networks. IPv4 and IPv6 are never in each other's. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const family = familyOf(address);
  if (family === undefined) return false;
  const bits = bitsOf(address, family);
  return networks.some((text) => {
    const network = parse(text);
    if (network?.family !== family) return false;
    const host = BigInt(BITS[family] - network.length);
    return bits >> host === bitsOf(network.address, family) >> host;
  });
}

function parse(given: string): Network | undefined {
  const [base = "", digits, ...more] = given.split("/");
  if (isIP(base) === 0 || base.includes("%") || more.length > 0) return undefined;
  if (digits !== undefined && !/^(0|[1-9]\d{0,2})$/.test(digits)) return undefined;
  const written = isIPv6(base) ? 6 : 4;
  const length = Number(digits ?? BITS[written]);
  if (length > BITS[written]) return undefined;
  const address = plainAddress(base);
  const family = familyOf(address) ?? written;
  if (family === written) return { address, family, length };
  // A shorter length is that of an IPv6 network which the address only lies in.
  return length < MAPPED_BITS
    ? { address: base, family: written, length }
    : { address, family, length: length - MAPPED_BITS };
}

function familyOf(address: string): 4 | 6 | undefined {
  const family = isIP(address);
  return family === 4 || family === 6 ? family : undefined;
}

function bitsOf(address: string, family: 4 | 6): bigint {
  return family === 4 ? bitsOf4(address) : bitsOf6(address);
}

function bitsOf4(address: string): bigint {
  return address.split(".").reduce((bits, byte) => (bits << BYTE_BITS) | BigInt(byte), 0n);
}

function bitsOf6(address: string): bigint {
  // An IPv4 address at the end takes two groups.
  const hex = address.replace(/[\d.]+$/, (end) => {
    if (!end.includes(".")) return end;
    const bits = bitsOf4(end);
    return `${(bits >> GROUP_BITS).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = hex.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? [] : tail.split(":");
    const missing = GROUPS - groups.length - after.length;
    groups.push(...Array.from({ length: missing }, () => "0"), ...after);
  }
  return groups.reduce((bits, group) => (bits << GROUP_BITS) | BigInt(`0x${group}`), 0n);
}

function addressOf(bits: bigint, family: 4 | 6): string {
  const [count, size] = family === 4 ? [4, BYTE_BITS] : [GROUPS, GROUP_BITS];
  const parts = Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(Number(size), bits >> (size * BigInt(count - 1 - index))),
  );
  if (family === 4) return parts.join(".");
  const written = parts.map((part) => part.toString(16)).join(":");
  return new SocketAddress({ address: written, family: "ipv6" }).address;
}
