// A sink as JSON (docs/interface.md): what a client sends of it, what it is shown, and how far it is. Called
// by the routes of sinks.

import { WIDGET_PARTS } from "@annals/contract";
import { internal } from "@annals/errors";
import type { JsonObject } from "@annals/event";
import { type GetSinkStatusResponse, type Sink, SinkFormat, SinkState } from "@annals/proto/sinks";
import { Type, type Static, type TSchema } from "typebox";
import {
  CLOSED,
  Count,
  FreeForm,
  Id,
  named,
  Nullable,
  SequenceNumber,
  Time,
  VARIANTS,
} from "./schema.ts";
import {
  type Given,
  HttpConfig,
  OtlpHttpConfig,
  renderConfig,
  S3Config,
  ShownConfig,
  SplunkHecConfig,
  SyslogConfig,
} from "./sink-config.ts";
import { FilterShown, GivenFilter, renderFilter } from "./webhook-filter.ts";

export const SinkId = Id("sink", "4k8s1w5z9c3f7j0n2q6t8v1x5a");

const CONFIGS = {
  http: HttpConfig,
  splunk_hec: SplunkHecConfig,
  otlp_http: OtlpHttpConfig,
  syslog: SyslogConfig,
  s3: S3Config,
} as const;

type SinkType = keyof typeof CONFIGS;
const TYPES = Object.keys(CONFIGS) as SinkType[];

export const FORMAT_NUMBERS = {
  annals: SinkFormat.ANNALS,
  ocsf: SinkFormat.OCSF,
  ecs: SinkFormat.ECS,
  cloudevents: SinkFormat.CLOUDEVENTS,
} as const;

const FORMATS = Object.keys(FORMAT_NUMBERS) as (keyof typeof FORMAT_NUMBERS)[];

const STATES = {
  [SinkState.UNSPECIFIED]: "",
  [SinkState.ACTIVE]: "active",
  [SinkState.FAILING]: "failing",
  [SinkState.PAUSED]: "paused",
} as const;

const TypeMember = named(
  "SinkType",
  Type.Enum([...TYPES], {
    description: "What receives the events. It cannot be changed.",
    examples: ["http"],
  }),
);

const Format = named(
  "SinkFormat",
  Type.Enum([...FORMATS], {
    description: "What an event is sent as. `annals`: as in lists, with its `chain`.",
    examples: ["annals"],
  }),
);

const LeaveOut = named(
  "SinkLeaveOut",
  Type.Array(Type.Enum([...WIDGET_PARTS]), {
    description: "Parts of an event that are not sent. Duplicates are ignored.",
    examples: [["diff"]],
  }),
);

const IncludeProof = named(
  "SinkIncludeProof",
  Type.Boolean({
    description:
      "Whether each event has its proof. A proof contains salts, with which a guess at an erased value can be confirmed.",
    examples: [false],
  }),
);

const Mapping = (options: { readonly description: string }) =>
  FreeForm(options.description, { "user.*": { class: "account_change" } });

const GivenMapping = named(
  "NewSinkMapping",
  Mapping({
    description:
      "Only with the format `ocsf`: classes by action, or by a prefix with a `*` at its end, each `class` and `activity`. " +
      "At most 100, and 16,384 bytes as JSON.",
  }),
);

/** What a client may set of each type of sink, on both routes. */
export const SHARED = {
  filter: Type.Optional(
    named("NewSinkFilter", Type.Unsafe<Static<typeof GivenFilter>>({ ...GivenFilter })),
  ),
  leave_out: Type.Optional(LeaveOut),
  include_proof: Type.Optional(IncludeProof),
  active: Type.Optional(Type.Boolean({ examples: [true] })),
};

export const OptionalFormat = Type.Optional(Format);
export const OptionalMapping = Type.Optional(GivenMapping);
/** Null: the classes of the service. */
export const NullableMapping = Type.Optional(Nullable(GivenMapping));

/**
 * The body of a route by the type of the sink. The validator reads the configuration by its type, so that a
 * fault is that of the given one; the document shows an object for each type. `plain` is added for a body
 * without type and configuration.
 */
export function byType<Members extends Readonly<Record<string, TSchema>>>(
  name: string,
  members: Members,
  plain?: TSchema,
) {
  const variants = TYPES.map((type) =>
    named(
      `${name}${pascal(type)}`,
      Type.Object({ type: typeOf(type), config: CONFIGS[type], ...members }, CLOSED),
    ),
  );
  const together = [
    condition({ required: ["config"] }, { required: ["type"] }),
    condition({ required: ["type"] }, { required: ["config"] }),
  ];
  const body = {
    type: "object",
    properties: { type: TypeMember, config: { type: "object" }, ...members },
    required: plain ? [] : ["type", "config"],
    ...CLOSED,
    allOf: [
      ...TYPES.map((type) =>
        condition(
          { properties: { type: { const: type } }, required: ["type"] },
          { properties: { config: CONFIGS[type] } },
        ),
      ),
      ...(plain ? together : []),
    ],
    [VARIANTS]: plain ? [plain, ...variants] : variants,
  };
  return named(name, Type.Unsafe<Static<ReturnType<typeof Type.Object<Members>>>>(body));
}

// oxlint-disable-next-line unicorn/no-thenable -- it is a keyword of JSON Schema
const condition = (given: object, needed: object) => ({ if: given, then: needed });

const typeOf = (type: SinkType) => Type.Enum([type], { examples: [type] });

const pascal = (type: string): string =>
  type
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** What {@link byType} has checked of a body. */
export type GivenBody<Members> = Members & Given;

const State = named(
  "SinkState",
  Type.Enum(["active", "failing", "paused"], {
    description:
      "`failing`: the last attempt failed, and the next one is due. `paused`: by `active: false`.",
    examples: ["active"],
  }),
);

export const SinkBody = named(
  "Sink",
  Type.Object({
    id: SinkId,
    type: TypeMember,
    format: Format,
    filter: Type.Optional(FilterShown),
    leave_out: LeaveOut,
    include_proof: IncludeProof,
    mapping: Type.Optional(
      Mapping({ description: "Classes of OCSF by action. Absent: those of the service." }),
    ),
    config: ShownConfig,
    active: Type.Boolean({ examples: [true] }),
    status: State,
    created_at: Time({ description: "ISO 8601, UTC." }),
  }),
);

export function renderSink(sink: Sink | undefined) {
  if (!sink) throw internal("the webhook dispatcher responded without a sink");
  const { config, type } = renderConfig(sink.config);
  return {
    id: sink.id,
    type,
    format: FORMATS.find((name) => FORMAT_NUMBERS[name] === sink.format) ?? "",
    ...(sink.filter && { filter: renderFilter(sink.filter) }),
    leave_out: sink.leaveOut,
    include_proof: sink.includeProof,
    ...(sink.mapping !== undefined && { mapping: JSON.parse(sink.mapping) as JsonObject }),
    config,
    active: sink.active,
    status: STATES[sink.state],
    created_at: sink.createdAt,
  };
}

const Numbers = named(
  "LostEvents",
  Type.Object({ from_sequence_number: SequenceNumber(), to_sequence_number: SequenceNumber() }),
);

export const SinkStatusBody = named(
  "SinkStatus",
  Type.Object({
    status: State,
    cursor: Count({
      description:
        "Number of the last event that the receiver has acknowledged, or that the filter left out; 0: none yet.",
      examples: [41],
    }),
    head: Count({ description: "Number of the last event of the chain.", examples: [42] }),
    lag_events: Count({ description: "Events after the cursor.", examples: [1] }),
    lag_seconds: Type.Number({
      minimum: 0,
      description: "How long the first of them has waited; 0 at the head.",
      examples: [0.8],
    }),
    last_error: Nullable(Type.String(), {
      description: "Why the last attempt failed; null if it did not.",
      examples: [null],
    }),
    last_delivered_at: Nullable(Time(), { description: "Null if nothing was sent yet." }),
    next_attempt_at: Nullable(Time(), { description: "Null while the sink is paused." }),
    lost: Type.Array(Numbers, {
      description: "Ranges that retention had deleted before they were sent, both ends included.",
      examples: [[]],
    }),
  }),
);

export function renderSinkStatus(status: GetSinkStatusResponse) {
  return {
    status: STATES[status.state],
    cursor: Number(status.cursor),
    head: Number(status.head),
    lag_events: Number(status.lagEvents),
    lag_seconds: status.lagSeconds,
    last_error: status.lastError ?? null,
    last_delivered_at: status.lastDeliveredAt ?? null,
    next_attempt_at: status.nextAttemptAt ?? null,
    lost: status.lost.map(({ fromSequenceNumber, toSequenceNumber }) => ({
      from_sequence_number: Number(fromSequenceNumber),
      to_sequence_number: Number(toSequenceNumber),
    })),
  };
}
