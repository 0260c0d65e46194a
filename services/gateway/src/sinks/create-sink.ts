// POST /v1/sinks (docs/interface.md): creates a sink. The secrets of its configuration are in the request
// only.

import { invalid } from "@annals/errors";
import type { CreateSinkRequestSchema } from "@annals/proto/sinks";
import type { WebhookFilter } from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { type Admission, admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { named, SequenceNumber, VARIANTS } from "../render/schema.ts";
import {
  byType,
  configText,
  FORMAT_NUMBERS,
  type GivenBody,
  ON_REJECTED_NUMBERS,
  OptionalFormat,
  OptionalMapping,
  renderSink,
  SHARED,
  SinkBody,
} from "./render-sink.ts";
import { filterMessage } from "../webhooks/render-webhook-filter.ts";
import {
  askedOnce,
  createdOnce,
  ONCE_HEADER,
  OnceHeaders,
  onceHeaders,
} from "../render/idempotent-requests.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const From = Type.Optional(
  named(
    "NewSinkFrom",
    Type.Unsafe<unknown>({
      description:
        "The first event: `start` for the first that is left, a sequence number, or `now` for the first that is stored " +
        "after the request. Default: now.",
      examples: ["start"],
      [VARIANTS]: [
        Type.Enum(["start", "now"]),
        SequenceNumber({ maximum: Number.MAX_SAFE_INTEGER, description: "At most the next one." }),
      ],
    }),
  ),
);

const MEMBERS = { format: OptionalFormat, mapping: OptionalMapping, from: From, ...SHARED };
const Members = Type.Object(MEMBERS);
const Body = byType("NewSink", MEMBERS);

export function createSink({ ledger, webhooks }: Pick<Deps, "ledger" | "webhooks">): Route {
  return route({
    summary: "Create a sink",
    description:
      "A sink is sent the account's events in order and at least once. `config` belongs to the `type`; its secrets " +
      "are not shown again.",
    feature: "webhooks",
    body: Body,
    headers: OnceHeaders,
    success: { status: 201, body: dataOf(SinkBody), headers: ONCE_HEADER },
    planLimit: "count",
    handle: async ({ admission, body, headers, signal }) => {
      const given = body as GivenBody<Static<typeof Members>>;
      const asked = askedOnce(headers, body);
      const call = (request: MessageInitShape<typeof CreateSinkRequestSchema>) =>
        webhooks.createSink({ ...request, ...asked }, admittedBy(admission));
      const create = async () => {
        const filter =
          given.filter && (await filterMessage({ ledger }, admission, given.filter, signal));
        return call(toRequest(admission, given, filter));
      };
      const { accountId } = admission;
      const { replayed, sink } = await createdOnce(asked, create, () =>
        call({ accountId, replayOnly: true }),
      );
      return { body: { data: renderSink(sink) }, ...onceHeaders(replayed) };
    },
  });
}

function toRequest(
  { accountId, plan }: Admission,
  body: GivenBody<Static<typeof Members>>,
  filter: WebhookFilter | null | undefined,
): MessageInitShape<typeof CreateSinkRequestSchema> {
  const { active = true, format = "annals", mapping } = body;
  const from = fromOf(body.from);
  return {
    accountId,
    format: FORMAT_NUMBERS[format],
    ...(filter && { filter }),
    leaveOut: body.leave_out ?? [],
    includeProof: body.include_proof ?? false,
    ...(mapping && { mapping: JSON.stringify(mapping) }),
    config: configText(body),
    onRejected: ON_REJECTED_NUMBERS[body.on_rejected ?? "stop"],
    active,
    ...(from !== undefined && { fromSequenceNumber: from }),
    ...(plan.maxSinks !== undefined && { maxSinks: plan.maxSinks }),
  };
}

/** Undefined for what is stored after the request. */
function fromOf(given: unknown): bigint | undefined {
  if (given === undefined || given === "now") return undefined;
  if (given === "start") return 1n;
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 1) return BigInt(given);
  throw invalid({ field: "from", message: "must be start, now or a sequence number" });
}
