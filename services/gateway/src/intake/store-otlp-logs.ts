// POST /v1/intake/otlp/v1/logs (docs/intake.md): what an exporter of OpenTelemetry or a Collector sends. The
// answer, of a failure too, is in the encoding of the request, as the protocol demands (OTLP/HTTP 1.x).

import { ExportLogsServiceResponseSchema } from "@annals/proto/otlp";
import { invalid } from "@annals/errors";
import { create, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { type TSchema, Type } from "typebox";
import type { Deps } from "../deps.ts";
import type { IntakeResult } from "./intake-reports.ts";
import type { OtlpEncoding } from "./otlp-encoding.ts";
import { OTLP_JSON } from "./otlp-json.ts";
import { OTLP_PROTOBUF } from "./otlp-protobuf.ts";
import { mediaTypeOf, PROTOBUF } from "../render/media-type.ts";
import { type Described, named, Nullable } from "../render/schema.ts";
import { type Route, route, type RouteResponse } from "../route.ts";
import { readOtlp } from "./read-otlp.ts";
import { storeItems } from "./store-items.ts";

const JSON_TYPE = "application/json";

const ENCODINGS: Readonly<Record<string, OtlpEncoding>> = {
  [PROTOBUF]: OTLP_PROTOBUF,
  [JSON_TYPE]: OTLP_JSON,
};

const EXAMPLE = {
  scopeLogs: [
    {
      logRecords: [
        {
          timeUnixNano: "1769851800052919000",
          eventName: "invoice.update",
          attributes: [
            { key: "user.id", value: { stringValue: "u_1" } },
            { key: "audit.target.id", value: { stringValue: "inv_9" } },
            { key: "log.record.uid", value: { stringValue: "01KG8Y5Z7J8Q4V6W2X3C5B7N9M" } },
          ],
        },
      ],
    },
  ],
};

const list = (item: TSchema, options: Described = {}) =>
  Type.Optional(Nullable(Type.Array(item), options));

const Records = list(Type.Unknown(), {
  description: "Each one is a `LogRecord`. One that is not is rejected by itself.",
});
const Scopes = list(Type.Object({ scope: Type.Optional(Type.Unknown()), logRecords: Records }));
const Resources = list(
  Type.Object({ resource: Type.Optional(Type.Unknown()), scopeLogs: Scopes }),
  { description: "Together they have at most 1,000 log records.", examples: [[EXAMPLE]] },
);

const Body = named("ExportLogsServiceRequest", Type.Object({ resourceLogs: Resources }));

const Success = named(
  "ExportLogsServiceResponse",
  Type.Object({
    partialSuccess: Type.Optional(
      Type.Object(
        {
          rejectedLogRecords: Type.Optional(
            Type.String({
              description:
                "Records that cannot be stored, as a number in text. Absent if there are none: a warning.",
              examples: ["1"],
            }),
          ),
          errorMessage: Type.String({
            description:
              "The first ten of them, by their index in the request; and which part of the request was ignored, because " +
              "it has no log records but members that are not known.",
            examples: [
              "1 of 2 log records cannot be stored. 0: time_unix_nano must be a time before the year 2255",
            ],
          }),
        },
        { description: "Absent if every record is stored, and nothing was ignored." },
      ),
    ),
  }),
);

export function storeOtlpLogs(deps: Pick<Deps, "appends" | "intake" | "limits" | "turns">): Route {
  const { limits, turns } = deps;
  return route({
    summary: "Store log records of OpenTelemetry",
    description:
      "Takes OTLP/HTTP 1.x as `application/x-protobuf` or `application/json`. Each record that has the name of an event " +
      "is stored, or not, for itself. A body may be empty.",
    body: Body,
    rawBody: "any",
    window: "intake",
    errors: "otlp",
    success: { status: 200, body: Success, mediaTypes: { [PROTOBUF]: "" } },
    planLimit: "month",
    maxBodyBytes: limits.intakeBodyMaxBytes,
    // Not async: the body would be held until the response (register-routes.ts).
    handle: (call) => {
      const { admission, receivedAt } = call;
      const headers = call.headers as Readonly<Record<string, string | undefined>>;
      const mediaType = mediaTypeOf(headers["content-type"]);
      const encoding = ENCODINGS[mediaType];
      if (encoding === undefined)
        throw invalid({ field: "Content-Type", message: `must be ${PROTOBUF} or ${JSON_TYPE}` });
      const bytes = (call.body as unknown as Buffer | undefined) ?? Buffer.alloc(0);
      return turns
        .run(admission.accountId, readOtlp(bytes, encoding, limits), call)
        .then((given) => storeItems(deps, "otlp", given, { admission, receivedAt }))
        .then((result) => render(result, mediaType));
    },
  });
}

function render(result: IntakeResult, mediaType: string): RouteResponse {
  const response = create(ExportLogsServiceResponseSchema, partialSuccessOf(result));
  return {
    headers: { "content-type": mediaType },
    body:
      mediaType === PROTOBUF
        ? Buffer.from(toBinary(ExportLogsServiceResponseSchema, response))
        : toJsonString(ExportLogsServiceResponseSchema, response),
  };
}

/** A message without rejected records is a warning, as the protocol has it. */
function partialSuccessOf({
  firstRejections,
  ignored,
  rejected,
  replayed,
  stored,
}: IntakeResult): MessageInitShape<typeof ExportLogsServiceResponseSchema> {
  if (rejected === 0 && ignored === undefined) return {};
  const all = rejected + replayed + stored;
  const first = firstRejections.map(({ index, reason }) => `${index}: ${reason}`).join("; ");
  const refused = rejected > 0 && `${rejected} of ${all} log records cannot be stored. ${first}`;
  const errorMessage = [refused, ignored].filter(Boolean).join(". ");
  return { partialSuccess: { rejectedLogRecords: BigInt(rejected), errorMessage } };
}
