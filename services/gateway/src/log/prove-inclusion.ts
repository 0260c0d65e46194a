// GET /v1/log/inclusion (docs/evidence.md): proves an event in the account's log, as JSON or as the text that
// third-party verifiers read.

import { AnnalsError } from "@annals/errors";
import type { ProveInclusionResponse } from "@annals/proto/ledger";
import { parseNote, proofText } from "@annals/tlog";
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CHECKPOINT_EXAMPLE, Hashes, hex, QueryNumber } from "./render-log.ts";
import { prefersText } from "../render/negotiation.ts";
import { CLOSED, Count, Hash, named, Nullable, SequenceNumber } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const InclusionBody = named(
  "Inclusion",
  Type.Object({
    sequence_number: SequenceNumber(),
    index: Count({ description: "Of the entry in the log, from 0.", examples: [41] }),
    size: Count({ description: "Number of events in the tree.", examples: [42] }),
    root: Hash({ description: "The root of the tree: 64 lower-case hexadecimal characters." }),
    hash: Hash({ description: "The hash of the event, which is its leaf." }),
    hashes: Hashes("The proof, from the leaf up (RFC 6962)."),
    checkpoint: Nullable(Type.String({ examples: [CHECKPOINT_EXAMPLE] }), {
      description:
        "The signed checkpoint of this size; null if no served epoch that is kept has it.",
    }),
  }),
);

const PROOF_EXAMPLE = `c2sp.org/tlog-proof@v1\nindex 41\n\n${CHECKPOINT_EXAMPLE}`;

export function proveInclusion({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Prove an event in the log",
    description:
      "With `Accept: text/plain` a proof of c2sp.org/tlog-proof with its checkpoint, or 404 if no served epoch has " +
      "this size. Returns 404 for what no served epoch covers.",
    window: "log",
    query: Type.Object(
      {
        sequence_number: QueryNumber("The event.", 42),
        size: Type.Optional(
          QueryNumber("Size of the tree. Default: the newest size that is served.", 42),
        ),
      },
      CLOSED,
    ),
    success: {
      status: 200,
      body: dataOf(InclusionBody),
      mediaTypes: { "text/plain": PROOF_EXAMPLE },
    },
    failures: [404],
    handle: async ({ admission, headers, query, signal }) => {
      const request = {
        accountId: admission.accountId,
        sequenceNumber: BigInt(query.sequence_number),
        size: BigInt(query.size ?? 0),
      };
      const proof = await ledger.proveInclusion(request, admittedBy(admission, signal));
      const index = query.sequence_number - 1;
      if (!prefersText((headers as IncomingHttpHeaders).accept))
        return { body: { data: render(index, proof) } };
      return {
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: textOf(index, proof),
      };
    },
  });
}

function render(index: number, { checkpoint, hashes, leaf, root, size }: ProveInclusionResponse) {
  return {
    sequence_number: index + 1,
    index,
    size: Number(size),
    root: hex(root),
    hash: hex(leaf),
    hashes: hashes.map(hex),
    checkpoint: checkpoint === "" ? null : checkpoint,
  };
}

function textOf(index: number, { checkpoint, hashes }: ProveInclusionResponse): string {
  if (checkpoint === "")
    throw new AnnalsError(
      "not_found",
      "No served epoch that is kept has this size. Leave size out to use the newest.",
    );
  return proofText({
    extra: undefined,
    index,
    hashes: hashes.map((hash) => Buffer.from(hash)),
    checkpoint: parseNote(checkpoint),
  });
}
