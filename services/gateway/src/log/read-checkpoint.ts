// GET /v1/log/checkpoint (docs/evidence.md): the signed checkpoint of the account's log at the newest size
// that is served.

import { admittedBy } from "../admission/admission.ts";
import { CHECKPOINT_EXAMPLE } from "./render-log.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

export function readCheckpoint({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get the checkpoint of the log",
    description:
      "A signed note of c2sp.org/tlog-checkpoint. Returns 404 until an epoch covers the account.",
    window: "log",
    success: { status: 200, mediaTypes: { "text/plain": CHECKPOINT_EXAMPLE } },
    failures: [404],
    handle: async ({ admission, signal }) => {
      const request = { accountId: admission.accountId };
      const { checkpoint } = await ledger.readCheckpoint(request, admittedBy(admission, signal));
      return { headers: { "content-type": "text/plain; charset=utf-8" }, body: checkpoint };
    },
  });
}
