// Groups requests that wait for admission by their key and window, as the keys service takes them. Called by
// admit-group.ts. One secret must never be in two groups of a window, and it leaves the gateway only hashed.

import { RateWindow } from "@annals/proto/keys";

/** What a client sends: an API key, a widget token, an access token of a person, or a token of a workload. */
export type Kind = "key" | "widget" | "access" | "workload";

export interface Grouped {
  /** SHA-256 of the secret that the client sent, as base64. */
  readonly digest: string;
  /** Names the key and the window. */
  readonly name: string;
  readonly kind: Kind;
  readonly window?: RateWindow | undefined;
  /** 0 for a request that was admitted before. */
  readonly count: 0 | 1;
  /** Set if it has been counted ahead: what is left of the window. */
  readonly taken?: number;
  /** The address that it came from; empty if the client has disconnected. */
  readonly ip: string;
}

interface Group {
  readonly one: Grouped;
  readonly index: number;
  count: number;
  /** Whether a request is among them that was not admitted before. */
  hasNew: boolean;
  /** How many requests came from each address. */
  readonly addresses: Map<string, number>;
}

/** How many requests keys is to count. */
const countOf = ({ count, taken }: Grouped): number => (taken === undefined ? count : 0);

/**
 * The groups, as messages with what `aheadOf` says to count ahead of each that has a new request, and the
 * index of each request's one.
 */
export function groupsOf(
  given: readonly Grouped[],
  aheadOf: (name: string, count: number) => number,
) {
  const groups = new Map<string, Group>();
  const indexes = given.map((one) => {
    const { ip, kind, name } = one;
    const count = countOf(one);
    const group = groups.get(name) ?? newGroup(one, groups.size);
    groups.set(name, group);
    group.count += count;
    group.hasNew ||= one.count > 0;
    // Only API keys and workloads may be bound to addresses.
    if ((kind === "key" || kind === "workload") && ip !== "")
      group.addresses.set(ip, (group.addresses.get(ip) ?? 0) + count);
    return group.index;
  });
  const toMessage = ({ addresses, count, hasNew, one }: Group) => {
    const { digest, kind, name, window = RateWindow.UNSPECIFIED } = one;
    return {
      secretSha256: Buffer.from(digest, "base64"),
      count,
      ahead: hasNew ? aheadOf(name, count) : 0,
      isWidgetToken: kind === "widget",
      isAccessToken: kind === "access",
      isWorkloadToken: kind === "workload",
      window,
      addresses: Array.from(addresses, ([address, from]) => ({ address, count: from })),
    };
  };
  return { groups: Array.from(groups.values(), toMessage), names: [...groups.keys()], indexes };
}

function newGroup(one: Grouped, index: number): Group {
  return { one, index, count: 0, hasNew: false, addresses: new Map() };
}
