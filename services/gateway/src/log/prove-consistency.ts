// GET /v1/log/consistency (docs/evidence.md): proves that the account's log at one size is the beginning of
// the log at another.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { Hashes, hex, QueryNumber } from "./render-log.ts";
import { CLOSED, Count, Hash, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const Root = (size: string) => Hash({ description: `The root at the size \`${size}\`.` });

const ConsistencyBody = named(
  "Consistency",
  Type.Object({
    from: Count({ description: "The earlier size.", examples: [40] }),
    from_root: Root("from"),
    to: Count({ description: "The later size.", examples: [42] }),
    to_root: Root("to"),
    hashes: Hashes("The proof (RFC 6962). Empty for equal sizes."),
  }),
);

export function proveConsistency({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Prove that the log has only grown",
    description: "Returns 404 for what no served epoch covers.",
    window: "log",
    query: Type.Object(
      {
        from: QueryNumber("The earlier size.", 40),
        to: Type.Optional(QueryNumber("The later size. Default: the newest that is served.", 42)),
      },
      CLOSED,
    ),
    success: { status: 200, body: dataOf(ConsistencyBody) },
    failures: [404],
    handle: async ({ admission, query, signal }) => {
      const request = {
        accountId: admission.accountId,
        from: BigInt(query.from),
        to: BigInt(query.to ?? 0),
      };
      const proof = await ledger.proveConsistency(request, admittedBy(admission, signal));
      const data = {
        from: Number(proof.from),
        from_root: hex(proof.fromRoot),
        to: Number(proof.to),
        to_root: hex(proof.toRoot),
        hashes: proof.hashes.map(hex),
      };
      return { body: { data } };
    },
  });
}
