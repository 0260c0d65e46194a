// A backlog of deliveries to HTTPS receivers. Called by compare.ts. All checkouts deliver to the same
// receivers, one after the other.

import type { CertificateAuthority } from "@annals/certificates";
import { drainBacklog, RECEIVERS } from "../measure/deliveries.ts";
import type { Options } from "../options.ts";
import { Receivers } from "../receivers.ts";
import { type Measure, timed } from "./measure.ts";

export function measureDeliveries(
  { backlog }: Options,
  authority: CertificateAuthority,
): { readonly measure: Measure; readonly close: () => Promise<void> } {
  let started: Promise<Receivers> | undefined;
  const measure: Measure = {
    what: "webhooks, a backlog",
    prepare: async (stack) => {
      const receivers = await (started ??= Receivers.start(authority, RECEIVERS));
      const turn = () =>
        timed(stack, async () => {
          const drained = await drainBacklog({ ...stack, backlog }, receivers);
          const ms = (drained.events / drained.perSecond) * 1_000;
          return { ...drained, p50Ms: ms, p99Ms: ms };
        });
      return { turn };
    },
  };
  return { measure, close: async () => (await started)?.close() };
}
