// Groups requests that wait for admission by their key and window, as the keys service takes them. Called by
// admission.ts. One secret must never be in two groups of a window, and it leaves the gateway only hashed.

import { keyHash } from "@annals/contract";
import { type AdmissionGroupSchema, RateWindow } from "@annals/proto/keys";
import type { MessageInitShape } from "@bufbuild/protobuf";

export interface Grouped {
  /** The API key or widget token that the client sent. */
  readonly key: string;
  readonly isWidget: boolean;
  readonly window?: RateWindow | undefined;
  /** 0 for a request that has already been counted. */
  readonly count: 0 | 1;
  /** The address that it came from; empty if the client has disconnected. */
  readonly ip: string;
}

interface Group {
  readonly one: Grouped;
  readonly index: number;
  count: number;
  /** How many requests came from each address. */
  readonly addresses: Map<string, number>;
}

/** The groups, and the index of each request's one. */
export function groupsOf(given: readonly Grouped[]): {
  readonly groups: MessageInitShape<typeof AdmissionGroupSchema>[];
  readonly indexes: readonly number[];
} {
  const groups = new Map<string, Group>();
  const indexes = given.map((one) => {
    const { count, ip, isWidget, key, window = RateWindow.UNSPECIFIED } = one;
    const name = `${window} ${key}`;
    const group = groups.get(name) ?? { one, index: groups.size, count: 0, addresses: new Map() };
    groups.set(name, group);
    group.count += count;
    // The pages that use a widget token are anywhere.
    if (!isWidget && ip !== "") group.addresses.set(ip, (group.addresses.get(ip) ?? 0) + count);
    return group.index;
  });
  return { groups: Array.from(groups.values(), toMessage), indexes };
}

function toMessage({ addresses, count, one }: Group) {
  const { isWidget: isWidgetToken, key, window = RateWindow.UNSPECIFIED } = one;
  const secretSha256 = keyHash(key);
  const message = { secretSha256, count, isWidgetToken, window };
  return {
    ...message,
    addresses: Array.from(addresses, ([address, from]) => ({ address, count: from })),
  };
}
