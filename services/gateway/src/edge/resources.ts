// What the requests of a gateway share, and how much of it each account, and each address without a key, may
// hold. Used by requests-in-flight.ts; the amounts come from serve.ts. It must never count against
// an account what requests without an account hold.

import { AnnalsError, unavailable } from "@annals/errors";
import type { Metrics, Resource } from "../metrics.ts";
import { type Refusal, Shares, type SharesOptions } from "./shares.ts";

const MIB = 1024 * 1024;

/** A download and a verification cost as much as this many lists: an account has fewer of them. */
const LISTS_OF = { download: 2, verification: 4 };
/** Total of a long or large resource, as a multiple of the share of one account. */
const SHARES = 4;
/** A page is read in milliseconds: many that come together, or during a short stall, soon have their turn. */
const LIST_WAIT_MS = 5_000;

/** Reads of the head log, which anyone may ask for: in all, and of one address. */
const HEAD_LOG = { total: 32, share: 16, waitMs: LIST_WAIT_MS };

/** Memory of a download: what its call to the export service reads ahead, and a piece of the file. */
export const DOWNLOAD_BYTES = 1.25 * MIB;

/** Requests without a key, in all and of one address: each takes a moment. */
const ANONYMOUS = { total: 500, share: 32 };
/** Bytes of their responses that were not read, and of all requests that wait on their connection. */
const ANONYMOUS_BYTES = { total: 16 * MIB, share: MIB };

export interface SharedAmounts {
  readonly requestsMaxUnderWay: number;
  readonly requestsMaxPerAccount: number;
  readonly bytesMaxPerAccount: number;
  readonly readsMaxPerAccount: number;
}

export function resourceShares(config: SharedAmounts): Record<Resource, SharesOptions> {
  const shares = (share: number) => ({ share, total: SHARES * share });
  const total = config.requestsMaxUnderWay;
  const lists = config.readsMaxPerAccount;
  const downloads = Math.floor(lists / LISTS_OF.download);
  return {
    requests: { share: config.requestsMaxPerAccount, total },
    // An address has half of what is free: behind a proxy it can be the address of every client.
    unadmitted: { share: total, total },
    anonymous: ANONYMOUS,
    bytes: shares(config.bytesMaxPerAccount),
    unread_bytes: shares(config.bytesMaxPerAccount + downloads * DOWNLOAD_BYTES),
    anonymous_bytes: ANONYMOUS_BYTES,
    downloads: shares(downloads),
    lists: { ...shares(lists), waitMs: LIST_WAIT_MS },
    verifications: shares(Math.floor(lists / LISTS_OF.verification)),
    head_log: HEAD_LOG,
  };
}

const BEYOND_SHARE: Readonly<Record<Resource, string>> = {
  requests: "Too many concurrent requests for this account. Try again.",
  unadmitted: "Too many concurrent requests from this address. Try again.",
  anonymous: "Too many concurrent requests without a key from this address. Try again.",
  bytes: "The request bodies in flight for this account are too large in total. Try again.",
  unread_bytes: "Too many unread responses for this account. Read them first. Try again.",
  anonymous_bytes: "Too many unread responses for this address. Read them first. Try again.",
  downloads: "Too many concurrent downloads for this account. Try again.",
  lists: "Too many concurrent lists for this account. Try again.",
  verifications: "Too many concurrent verifications for this account. Try again.",
  head_log: "Too many concurrent reads of the log from this address. Try again.",
};

export class Resources {
  readonly shares: Readonly<Record<Resource, Shares>>;
  readonly #metrics: Pick<Metrics, "refused">;

  constructor(
    options: Readonly<Record<Resource, SharesOptions>>,
    metrics: Pick<Metrics, "refused">,
  ) {
    this.#metrics = metrics;
    this.shares = {
      requests: new Shares(options.requests),
      unadmitted: new Shares(options.unadmitted),
      anonymous: new Shares(options.anonymous),
      bytes: new Shares(options.bytes),
      unread_bytes: new Shares(options.unread_bytes),
      anonymous_bytes: new Shares(options.anonymous_bytes),
      downloads: new Shares(options.downloads),
      lists: new Shares(options.lists),
      verifications: new Shares(options.verifications),
      head_log: new Shares(options.head_log),
    };
  }

  /** How much of each is in use. */
  used(): Record<Resource, number> {
    const held = Object.entries(this.shares).map(([resource, { used }]) => [resource, used]);
    return Object.fromEntries(held) as Record<Resource, number>;
  }

  /** Counts a refusal. The error: `rate_limited` beyond a share, `unavailable` if too little is free. */
  refused(resource: Resource, refusal: Refusal): AnnalsError {
    this.#metrics.refused(`${resource}_${refusal}`);
    if (refusal === "share")
      return new AnnalsError("rate_limited", BEYOND_SHARE[resource], { retryAfterS: 1 });
    return unavailable("The service is overloaded. Try again.");
  }

  /** Throws if there was a refusal. */
  check(resource: Resource, refusal: Refusal | undefined): void {
    if (refusal !== undefined) throw this.refused(resource, refusal);
  }
}
