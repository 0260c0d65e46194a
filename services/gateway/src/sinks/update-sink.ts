// PATCH /v1/sinks/{id} (docs/interface.md): changes what is sent, how and where to, or whether the sink is
// active. Members that are left out stay unchanged. A configuration is replaced whole.

import type { UpdateSinkRequestSchema } from "@annals/proto/sinks";
import type { WebhookFilter } from "@annals/proto/webhook-filters";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Type, type Static } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, idIn, named } from "../render/schema.ts";
import {
  byType,
  configText,
  FORMAT_NUMBERS,
  type GivenBody,
  NullableMapping,
  ON_REJECTED_NUMBERS,
  OptionalFormat,
  renderSink,
  SHARED,
  SinkBody,
  SinkId,
} from "./render-sink.ts";
import { filterMessage } from "../webhooks/render-webhook-filter.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const MEMBERS = { format: OptionalFormat, mapping: NullableMapping, ...SHARED };
const Members = named("SinkUpdatePlain", Type.Object(MEMBERS, CLOSED));
const Body = byType("SinkUpdate", MEMBERS, Members);

export function updateSink({ ledger, webhooks }: Pick<Deps, "ledger" | "webhooks">): Route {
  return route({
    summary: "Change a sink",
    description:
      "Changes act from the next batch on. `config` replaces the whole configuration, with its secrets, and needs the " +
      "`type`, which cannot be changed. `active: true` also ends the wait after a failure.",
    feature: "webhooks",
    params: idIn(SinkId),
    body: Body,
    success: { status: 200, body: dataOf(SinkBody) },
    failures: [404],
    handle: async ({ admission, body, params, signal }) => {
      const { filter: given } = body;
      const filter =
        given === undefined ? undefined : await filterMessage({ ledger }, admission, given, signal);
      const request = toRequest(admission.accountId, params.id, body, filter);
      const { sink } = await webhooks.updateSink(request, admittedBy(admission));
      return { body: { data: renderSink(sink) } };
    },
  });
}

type GivenUpdate = Static<typeof Members> | GivenBody<Static<typeof Members>>;

function toRequest(
  accountId: string,
  id: string,
  body: GivenUpdate,
  filter: WebhookFilter | undefined,
): MessageInitShape<typeof UpdateSinkRequestSchema> {
  const { active, format, include_proof: includeProof, leave_out: parts, mapping } = body;
  const { on_rejected: onRejected } = body;
  return {
    accountId,
    id,
    ...(active !== undefined && { active }),
    ...(filter && { filter }),
    ...(parts && { leaveOut: { parts } }),
    ...(includeProof !== undefined && { includeProof }),
    ...(onRejected !== undefined && { onRejected: ON_REJECTED_NUMBERS[onRejected] }),
    ...(format !== undefined && { format: FORMAT_NUMBERS[format] }),
    ...(mapping !== undefined && { mapping: mapping === null ? "" : JSON.stringify(mapping) }),
    ...("config" in body && { config: configText(body) }),
  };
}
