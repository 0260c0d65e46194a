// GET /v1/log (docs/evidence.md): the account's log: its origin and keys, and how far an epoch covers it.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CoveredBody, NullableCovered, renderCovered } from "./render-log.ts";
import { Count, named, Nullable, Time } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const LogBody = named(
  "Log",
  Type.Object({
    origin: Type.String({
      description: "Of the account's log: the origin of the head log, `/` and the account's id.",
      examples: ["annals.example.com/acct_0h4n8r2v6y1b5e9j3m7q0t4w8z"],
    }),
    log_origin: Type.String({
      description: "Of the head log, whose entries are the epochs.",
      examples: ["annals.example.com"],
    }),
    vkeys: Type.Array(
      Type.String({ examples: ["annals.example.com+e2562da6+ASfCkI3Xk6fM8r0Nh3sQm1Jx"] }),
      {
        description:
          "Verifier keys that sign the head log now, newest first. The account's log is signed with the same public keys " +
          "under its own origin.",
      },
    ),
    size: Count({ description: "Number of events of the account.", examples: [44] }),
    covered: NullableCovered(CoveredBody),
    newest_epoch: Nullable(Type.Object({ epoch: Count({ examples: [8_813] }), time: Time() }), {
      description:
        "The newest epoch, which the witnesses may not have seen yet. Null before the first epoch.",
    }),
    min_index: Count({
      description:
        "Index of the first entry that can be read. Retention deletes those before it, 256 at a time.",
      examples: [0],
    }),
    policy: Nullable(Type.String(), {
      description:
        "The operator's policy of witnesses. Null without a policy: then each epoch counts at once.",
      examples: [null],
    }),
  }),
);

export function getLog({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Get the log of evidence",
    description: "Returns 404 if the service keeps no log.",
    window: "log",
    success: { status: 200, body: dataOf(LogBody) },
    failures: [404],
    handle: async ({ admission, signal }) => {
      const request = { accountId: admission.accountId };
      const found = await ledger.getLog(request, admittedBy(admission, signal));
      const newest = { epoch: Number(found.epoch), time: found.epochTime };
      const data = {
        origin: found.origin,
        log_origin: found.logOrigin,
        vkeys: found.vkeys,
        size: Number(found.size),
        covered: found.covered ? renderCovered(found.covered) : null,
        newest_epoch: newest.epoch === 0 ? null : newest,
        min_index: Number(found.minIndex),
        policy: found.policy === "" ? null : found.policy,
      };
      return { body: { data } };
    },
  });
}
