// GET /v1/log/heads (docs/evidence.md): the heads of the account in served epochs, with what proves each of
// them: the lines of heads.jsonl of a bundle of evidence.

import type { EpochHead } from "@annals/proto/ledger";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { CHECKPOINT_EXAMPLE, Hashes, hex, LOG, QueryNumber } from "./render-log.ts";
import { CLOSED, Count, Hash, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const MAX_LIMIT = 50;

const HeadBody = named(
  "EpochHead",
  Type.Object({
    epoch: Count({ description: "Number of the epoch.", examples: [8_812] }),
    entry: Type.String({
      description: "The epoch's entry of the head log, in canonical JSON.",
      examples: [
        '{"epoch":8812,"heads":"9f86d0…","kind":"heads","time":"2026-01-31T09:30:00.000000Z","v":1}',
      ],
    }),
    head: Type.Object(
      {
        chain: Type.String({ examples: ["acct_0h4n8r2v6y1b5e9j3m7q0t4w8z"] }),
        root: Hash(),
        size: Count({ examples: [42] }),
        v: Type.Literal(1),
      },
      { description: "The record of the account's head in this epoch." },
    ),
    path: Hashes("Proves the head in the map of the epoch, from the top down."),
    checkpoint: Type.String({
      description: "The first served checkpoint of the head log that holds the entry.",
      examples: [CHECKPOINT_EXAMPLE],
    }),
    inclusion: Hashes("Proves the entry under this checkpoint."),
    consistency: Hashes("Leads from this head to the account's newest served head."),
  }),
);

const Page = named(
  "EpochHeadPage",
  Type.Object({
    data: Type.Array(HeadBody),
    has_more: Type.Boolean({
      description: "Whether there are later heads: continue after the epoch of the last one.",
      ...LOG,
    }),
  }),
);

export function listHeads({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List the heads of the log",
    description:
      "Oldest first: the served epochs that are still kept, with the head that the account has in each. Returns " +
      "404 until an epoch covers the account.",
    window: "log",
    query: Type.Object(
      {
        after_epoch: Type.Optional(
          QueryNumber("Only later epochs. Default: 0, all that are kept.", 8_640, 0),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `Default: ${MAX_LIMIT}.`,
            examples: [20],
            ...LOG,
          }),
        ),
      },
      CLOSED,
    ),
    success: { status: 200, body: Page },
    failures: [404],
    handle: async ({ admission, query, signal }) => {
      const request = {
        accountId: admission.accountId,
        afterEpoch: BigInt(query.after_epoch ?? 0),
        limit: query.limit ?? MAX_LIMIT,
      };
      const { hasMore, heads } = await ledger.listHeads(request, admittedBy(admission, signal));
      return { body: { data: heads.map(render), has_more: hasMore } };
    },
  });
}

function render({ checkpoint, consistency, entry, epoch, head, inclusion, path }: EpochHead) {
  return {
    epoch: Number(epoch),
    entry,
    head: JSON.parse(head) as Record<string, unknown>,
    path: path.map(hex),
    checkpoint,
    inclusion: inclusion.map(hex),
    consistency: consistency.map(hex),
  };
}
