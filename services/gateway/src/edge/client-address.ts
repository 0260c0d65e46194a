// Finds out whose request it is before it is authenticated, and where it came from: the client's address,
// behind proxies that the operator trusts. Called by requests-in-flight.ts and admission/hook.ts. It must
// never believe a header of a peer that is not trusted.

import { plainAddress } from "@annals/contract";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

/** Groups of 16 bits that name an IPv6 network of one customer: /64. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** No peer is trusted. */
const NONE = new BlockList();

type Request = Pick<IncomingMessage, "headers" | "socket">;

/** Whose request it is: the address of the client, and of IPv6 the network of 64 bits. */
export function clientAddress(request: Request, trusted: BlockList): string {
  const address = clientIp(request, trusted);
  return isIPv6(address) ? networkOf(address) : address;
}

/** The same for a connection whose request cannot be read: that of the peer, which may be a proxy. */
export function peerAddress(socket: Request["socket"]): string {
  return clientAddress({ headers: {}, socket }, NONE);
}

/**
 * The address of the client, plain: the peer, or, if the peer is trusted, the rightmost address of
 * X-Forwarded-For that is not. Empty for a client that has disconnected.
 */
export function clientIp({ headers, socket }: Request, trusted: BlockList): string {
  let address = plainAddress(socket.remoteAddress ?? "");
  const forwarded = headers["x-forwarded-for"];
  if (forwarded !== undefined) {
    const before = String(forwarded).split(",");
    while (isTrusted(address, trusted)) {
      const next = forwardedAddress(before.pop());
      if (next === undefined) break;
      address = next;
    }
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  return isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

/** Reads an address with or without a port; undefined if the text is not an address. */
function forwardedAddress(entry = ""): string | undefined {
  const text = entry.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}

/** The first 64 bits, in the one form that every spelling of them has. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? [] : tail.split(":");
    // An IPv4 address at the end takes two groups, and never one of the first four.
    const written = groups.length + after.length + (tail.includes(".") ? 1 : 0);
    groups.push(...Array.from({ length: GROUPS - written }, () => "0"), ...after);
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
