// Makes one DNS look-up, over its own sockets (c-ares), so that a silent name server does not block a thread
// of the process. Called by account-resolver.ts. It must end by its deadline, and leave nothing in flight.
//
// If private addresses are allowed, receivers may have names that DNS does not know: `localhost`, the hosts
// file, a short name with a search domain. Only those go on to the system resolver, which has few threads
// and cannot be cancelled: each account may hold one thread.

import { Slots } from "@annals/contract";
import { type LookupAddress, lookup } from "node:dns";
import { Resolver } from "node:dns/promises";

/** Resolves to all addresses of a name, at least one, by `until` on the monotonic clock. */
export type LookUp = (
  hostname: string,
  accountId: string,
  until: number,
) => Promise<readonly LookupAddress[]>;

/** Time from the first packet to the second of the same query. Later pauses are longer. */
const PACKET_TIMEOUT_MS = 1_000;
const PACKETS = 4;

/** Slots of the system resolver, which has two of the four threads of libuv. */
const SYSTEM_SLOTS = { total: 2, perAccount: 1 };

/** Codes of errors that mean that a name has no address. Any other result may change a moment later. */
const NO_ADDRESS = new Set(["ENOTFOUND", "ENODATA"]);

/** Looks up names in DNS. `servers`, as `address:port`, replace those of the system. */
export function dnsLookUp(servers?: readonly string[]): LookUp {
  return async (hostname, _accountId, until) => {
    const resolver = new Resolver({ timeout: PACKET_TIMEOUT_MS, tries: PACKETS });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), Math.max(0, until - performance.now()));
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    clearTimeout(timer);
    const addresses = [
      ...(ipv4.status === "fulfilled" ? ipv4.value : []).map((address) => ({ address, family: 4 })),
      ...(ipv6.status === "fulfilled" ? ipv6.value : []).map((address) => ({ address, family: 6 })),
    ];
    if (addresses.length > 0) return addresses;
    const errors = [ipv4, ipv6].map((one) => (one.status === "rejected" ? one.reason : undefined));
    throw errors.find((error) => !hasNoAddress(error)) ?? errors[0];
  };
}

/** Adds the system resolver, for networks with their own names. DNS is not asked for `isLocal` names. */
export function withSystemNames(dns: LookUp, isLocal: (hostname: string) => boolean): LookUp {
  const slots = new Slots(SYSTEM_SLOTS);
  return async (hostname, accountId, until) => {
    if (!isLocal(hostname)) {
      try {
        return await dns(hostname, accountId, until);
      } catch (error) {
        if (!hasNoAddress(error) && codeOf(error) !== "ECONNREFUSED") throw error;
      }
    }
    const leftMs = () => Math.max(0, until - performance.now());
    return new Promise((resolve, reject) => {
      const late = () => timedOut(hostname);
      // Until the system has answered: a thread is in use for as long.
      const askSystem = () =>
        new Promise<void>((ended) => {
          const timer = setTimeout(() => reject(late()), leftMs());
          lookup(hostname, { all: true, order: "ipv4first" }, (error, addresses) => {
            clearTimeout(timer);
            ended();
            if (error) reject(error);
            else resolve(addresses);
          });
        });
      slots.runWithin(accountId, leftMs(), late, askSystem).catch(reject);
    });
  };
}

/** Whether the name certainly has no address. */
export function hasNoAddress(error: unknown): boolean {
  return NO_ADDRESS.has(codeOf(error));
}

/** Whether a code is one of c-ares or of the system resolver: then no address was found. */
export function isOfDns(code = ""): boolean {
  return /^E(NOTFOUND|NODATA|AI_|SERVFAIL|REFUSED|TIMEOUT|FORMERR|NONAME|NOTIMP|CANCELLED)/.test(
    code,
  );
}

export function timedOut(hostname: string): Error {
  return Object.assign(new Error(`${hostname} was not resolved in time`), { code: "ETIMEOUT" });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
