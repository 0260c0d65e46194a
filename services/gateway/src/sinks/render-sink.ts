// A sink as JSON (docs/interface.md): what a client sends of it, and what it is shown. Called by the routes
// of sinks.

import { WIDGET_PARTS } from "@annals/contract";
import { internal } from "@annals/errors";
import type { JsonObject } from "@annals/event";
import { SINK_TYPE_NAMES, SINK_TYPES, shownSinkSchema, type SinkType } from "@annals/interface";
import { OnRejected, type Sink, SinkFormat, SinkState } from "@annals/proto/sinks";
import { Type, type Static, type TSchema } from "typebox";
import { CLOSED, FreeForm, Id, named, Nullable, Time, VARIANTS } from "../render/schema.ts";
import { FilterShown, GivenFilter, renderFilter } from "../webhooks/render-webhook-filter.ts";

export const SinkId = Id("sink", "4k8s1w5z9c3f7j0n2q6t8v1x5a");

export const FORMAT_NUMBERS = {
  annals: SinkFormat.ANNALS,
  ocsf: SinkFormat.OCSF,
  ecs: SinkFormat.ECS,
  cloudevents: SinkFormat.CLOUDEVENTS,
} as const;

const FORMATS = Object.keys(FORMAT_NUMBERS) as (keyof typeof FORMAT_NUMBERS)[];

export const SINK_STATES = {
  [SinkState.UNSPECIFIED]: "",
  [SinkState.ACTIVE]: "active",
  [SinkState.FAILING]: "failing",
  [SinkState.PAUSED]: "paused",
} as const;

export const ON_REJECTED_NUMBERS = {
  stop: OnRejected.STOP,
  skip: OnRejected.SKIP,
} as const;

type OnRejectedName = keyof typeof ON_REJECTED_NUMBERS;
const ON_REJECTED = Object.keys(ON_REJECTED_NUMBERS) as OnRejectedName[];

const OnRejectedMember = named(
  "SinkOnRejected",
  Type.Enum([...ON_REJECTED], {
    description:
      "What is done with a single event that the receiver refuses for good (400, 413, 422). `stop`: it is sent again, " +
      "and nothing after it. `skip`: it is passed over, and recorded. Default: stop.",
    examples: ["stop"],
  }),
);

const TypeMember = named(
  "SinkType",
  Type.Enum([...SINK_TYPE_NAMES], {
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
  on_rejected: Type.Optional(OnRejectedMember),
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
  const variants = SINK_TYPE_NAMES.map((type) =>
    named(
      `${name}${pascal(type)}`,
      Type.Object({ type: typeOf(type), config: SINK_TYPES[type].schema, ...members }, CLOSED),
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
      ...SINK_TYPE_NAMES.map((type) =>
        condition(
          { properties: { type: { const: type } }, required: ["type"] },
          { properties: { config: SINK_TYPES[type].schema } },
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
export type GivenBody<Members> = Members & { readonly type: SinkType; readonly config: object };

/** A type and its configuration, as the webhook dispatcher gets and stores them. It checks the values. */
export const configText = ({ config, type }: GivenBody<unknown>): string =>
  JSON.stringify({ type, ...config });

export const SinkStateMember = named(
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
    config: Type.Union(SINK_TYPE_NAMES.map(shownSinkSchema)),
    on_rejected: OnRejectedMember,
    active: Type.Boolean({ examples: [true] }),
    status: SinkStateMember,
    created_at: Time({ description: "ISO 8601, UTC." }),
  }),
);

export function renderSink(sink: Sink | undefined) {
  if (!sink) throw internal("the webhook dispatcher responded without a sink");
  const { type, ...config } = JSON.parse(sink.config) as JsonObject;
  return {
    id: sink.id,
    type,
    format: FORMATS.find((name) => FORMAT_NUMBERS[name] === sink.format) ?? "",
    ...(sink.filter && { filter: renderFilter(sink.filter) }),
    leave_out: sink.leaveOut,
    include_proof: sink.includeProof,
    ...(sink.mapping !== undefined && { mapping: JSON.parse(sink.mapping) as JsonObject }),
    config,
    on_rejected: ON_REJECTED.find((name) => ON_REJECTED_NUMBERS[name] === sink.onRejected) ?? "",
    active: sink.active,
    status: SINK_STATES[sink.state],
    created_at: sink.createdAt,
  };
}
