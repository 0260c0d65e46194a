// The rules for the members of a sink besides its configuration (docs/interface.md). Called by the handlers
// of sinks.

import { WIDGET_PARTS } from "@annals/contract";
import { invalid, notFound } from "@annals/errors";
import { type GivenSinkConfig, readSinkConfig } from "@annals/interface";
import { OnRejected as GivenOnRejected, SinkFormat as GivenFormat } from "@annals/proto/sinks";
import { type OnRejected, SINK_FORMATS, type SinkFormat } from "./rules/sink.ts";
import { checkMapping } from "./rules/check-mapping.ts";

/** Reads a configuration as RPCs carry it. Throws `invalid` if a member does not have its form. */
export function givenConfig(text: string): GivenSinkConfig {
  if (text === "") throw invalid({ field: "config", message: "is required" });
  const { type, ...config } = parsed(text);
  return readSinkConfig(type, config);
}

function parsed(text: string): { readonly type?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The refusal below says enough.
  }
  throw invalid({ field: "config", message: "must be an object" });
}

/** Throws `not_found` for text that cannot be an id: PostgreSQL would refuse some of it. */
export function checkSinkId(id: string): void {
  if (!/^sink_[0-9a-z]{1,64}$/.test(id)) throw notFound("sink", id);
}

const FORMATS: Readonly<Partial<Record<GivenFormat, SinkFormat>>> = {
  [GivenFormat.ANNALS]: "annals",
  [GivenFormat.OCSF]: "ocsf",
  [GivenFormat.ECS]: "ecs",
  [GivenFormat.CLOUDEVENTS]: "cloudevents",
};

export function checkFormat(given: GivenFormat): SinkFormat {
  const format = FORMATS[given];
  if (format) return format;
  throw invalid({ field: "format", message: `must be one of ${SINK_FORMATS.join(", ")}` });
}

/** Undefined for what is not given. */
export function givenOnRejected(given: GivenOnRejected): OnRejected | undefined {
  switch (given) {
    case GivenOnRejected.SKIP:
      return "skip";
    case GivenOnRejected.STOP:
      return "stop";
    default:
      return undefined;
  }
}

/** Returns the parts each once, in the order of an event. */
export function checkLeaveOut(given: readonly string[]): string[] {
  const parts = WIDGET_PARTS.filter((part) => given.includes(part));
  const unknown = given.findIndex((name) => !parts.some((part) => part === name));
  if (unknown < 0) return parts;
  const message = `must be one of ${WIDGET_PARTS.join(", ")}`;
  throw invalid({ field: `leave_out[${unknown}]`, message });
}

/** Returns the JSON text that is stored; null for undefined and for an empty text. */
export function checkMappingOf(format: SinkFormat, given: string | undefined): string | null {
  if (given === undefined || given === "") return null;
  if (format !== "ocsf") throw invalid({ field: "mapping", message: "needs the format ocsf" });
  return checkMapping(given);
}
