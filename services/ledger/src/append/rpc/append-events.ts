// AppendEvents: like CreateEvents, but streams the outcomes. Outcomes that become known in one turn of the
// event loop are sent together. No outcome must wait for that of another account.

import type { LedgerService } from "@annals/proto/ledger";
import type { ServiceImpl } from "@connectrpc/connect";
import { setImmediate } from "node:timers/promises";
import { appendOutcome, checkAppends, type Deps, type Outcome } from "../append-outcome.ts";

export function appendEvents(deps: Deps): ServiceImpl<typeof LedgerService>["appendEvents"] {
  return async function* (request) {
    checkAppends(request);
    const { appends } = request;
    let known: { readonly index: number; readonly outcome: Outcome }[] = [];
    // Every append settles, even if the caller has gone: the stream then ends without a reader.
    let next = Promise.withResolvers<void>();
    for (const [index, append] of appends.entries()) {
      void appendOutcome(deps, request, append).then((outcome) => {
        known.push({ index, outcome });
        next.resolve();
      });
    }
    for (let missing = appends.length; missing > 0;) {
      await next.promise;
      await setImmediate();
      const outcomes = known;
      [known, next] = [[], Promise.withResolvers<void>()];
      missing -= outcomes.length;
      yield { outcomes };
    }
  };
}
