// Systems that many files of tests use, so that each starts none: `shared(kind)`. The first file that asks
// starts one (shared-kinds.ts), and the end of the run stops it. A file makes accounts of its own, stops
// nothing, sets nothing that others see, and relies on nothing that others leave.

import type { Certificate } from "@annals/certificates";
import type { Stack, StackProcess } from "@annals/local";
import { inject } from "vitest";

/**
 * `one`: a process of each service, with an epoch of the log each second: the stack that `inject("stack")`
 * also names.
 * `replicas`: two keys services and two ledgers (three in the full form) with `PLANS` and the limits below,
 * and gateways behind a trusted proxy: one that knows all ledgers, and one of each. No export, webhook or
 * NATS.
 * `webhooks`: a process of each service and one more ledger with `PLANS`, an epoch each second, erasures
 * without delay, and a dispatcher that trusts `authority` and sends to private addresses.
 */
export type Kind = "one" | "replicas" | "webhooks";

export interface SharedSystem extends Pick<
  Stack,
  "baseUrls" | "certificates" | "dataDir" | "databaseUrl"
> {
  readonly processes: readonly Pick<
    StackProcess,
    "service" | "index" | "adminUrl" | "rpcAddress" | "baseUrl"
  >[];
  /** Signs the certificates of subscribers; undefined in `one`. */
  readonly authority: Certificate | undefined;
}

/** Requests of a key in a minute, in `replicas`; in the other kinds more than a test asks. */
export const RATE_LIMIT = 100;
export const INTAKE_RATE_LIMIT = 25;

/** The bytes of exports that an account has where its plan sets no number, in `webhooks`. */
export const SETTING_OF_EXPORT_BYTES = 50_000_000;

/** Plans of the systems; accounts have `everything` by default. */
export const PLANS = {
  plans: {
    everything: {},
    featureless: { features_left_out: ["webhooks", "exports", "verify", "lifecycle"] },
    small: { max_keys: 3, monthly_events: 5 },
    exact: { max_keys: 10, monthly_events: 100 },
    slow: { requests_per_minute: 40 },
    busy: { requests_per_minute: 1_000_000 },
    narrow: { intake_requests_per_minute: 7 },
    few: { monthly_events: 3 },
    more: { monthly_events: 5 },
    daily: { events_exported_per_day: 2_000, events_replayed_per_day: 7 },
    idle: { events_exported_per_day: 0, events_replayed_per_day: 0 },
    roomy: { max_export_bytes: 2 * SETTING_OF_EXPORT_BYTES },
    tight: { max_export_bytes: SETTING_OF_EXPORT_BYTES / 2 },
    empty: { max_export_bytes: 0 },
  },
  default: "everything",
};

declare module "vitest" {
  export interface ProvidedContext {
    /** The address that `shared` asks. */
    readonly sharedSystems: string;
  }
}

/** The system of a kind. Rejects if it does not start. */
export async function shared(kind: Kind): Promise<SharedSystem> {
  const answer = await fetch(`${inject("sharedSystems")}/${kind}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as SharedSystem;
}
