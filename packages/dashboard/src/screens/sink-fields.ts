// The form of a sink, new or changed, and the bodies for /v1/sinks that it gives. Used by sinks.ts. A secret
// is in the form until it is sent, and nowhere else.

import type { NewSink, Sink, SinkUpdate } from "@annals/sdk";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { keyed } from "lit/directives/keyed.js";
import { changedFilter, valueFields, valuesIn } from "../parts/filter-fields.ts";
import {
  area,
  checkbox,
  choices,
  chosenIn,
  field,
  linesIn,
  select,
  textIn,
} from "../parts/form.ts";
import { PARTS } from "../words.ts";
import {
  FORMATS,
  FROM,
  type Member,
  MEMBERS,
  ON_REJECTED,
  type Type,
  TYPES,
} from "./sink-types.ts";

export const FIRST_TYPE: Type = "splunk_hec";

const RECEIVED = { name: "on_rejected", label: "An event that the receiver refuses" };

interface SinkForm {
  readonly type: Type;
  /** A new form has another one. */
  readonly number: number;
  /** The sink that is changed; undefined for a new one. */
  readonly sink: Sink | undefined;
  readonly onType: (type: Type) => void;
}

export function sinkFields({ type, number, sink, onType }: SinkForm): TemplateResult {
  const choose = (event: Event) => onType((event.currentTarget as HTMLSelectElement).value as Type);
  const flags = MEMBERS[type].filter(({ kind }) => kind === "flag");
  const rest = MEMBERS[type].filter(({ kind }) => kind !== "flag");
  const view = (member: Member) => memberView(member, sink);
  // No field becomes that of another type or sink: what was entered as a secret would be shown.
  return html`${keyed(
    `${number} ${sink?.id ?? ""}`,
    html`${
        sink
          ? html`<p class="hint">
              Secrets are never shown. Leave them empty while the receiver stays as it is.
            </p>`
          : select({
              name: "type",
              label: "Receiver",
              values: TYPES,
              chosen: type,
              onChange: choose,
            })
      }
      ${keyed(
        type,
        html`<div class="fields">${rest.map(view)}</div>
          ${flags.map(view)}`,
      )}
      <div class="fields">
        ${sink ? nothing : select({ name: "first", label: "Begin with", values: FROM })}
        ${select({ name: "format", label: "Format", values: FORMATS, chosen: sink?.format })}
      </div>
      <details>
        <summary>What is sent</summary>
        ${choices({ name: "leave_out", label: "Parts that are left out", values: PARTS, chosen: sink?.leave_out })}
        ${checkbox("include_proof", "With proofs: who has them can confirm a guess at an erased value", sink?.include_proof)}
        ${select({ ...RECEIVED, values: ON_REJECTED, chosen: sink?.on_rejected })}
      </details>
      ${valueFields(sink?.filter)}`,
  )}`;
}

function memberView(member: Member, sink: Sink | undefined): TemplateResult {
  const { name, label, kind, isOptional = false, hint } = member;
  const value = valueOf(member, sink);
  const isRequired = !isOptional && !(kind === "password" && sink);
  if (kind === "flag") return checkbox(name, label, value !== "");
  if (kind === "headers") return area({ name, label, isRequired, value, hint });
  if (typeof kind === "object") return select({ name, label, values: kind, chosen: value });
  return field({ name, label, isRequired, value, hint, type: kind });
}

/** What a field shows: of a sink what the service does, which is the names of headers and no secret. */
function valueOf({ name, kind, value = "" }: Member, sink: Sink | undefined): string {
  if (sink === undefined) return value;
  const [outer = "", inner] = name.split(".");
  const members = sink.config as Readonly<Record<string, unknown>>;
  const shown = inner === undefined ? members[outer] : (members[outer] as typeof members)?.[inner];
  if (kind === "headers")
    return Object.keys(shown ?? {})
      .map((header) => `${header}:`)
      .join("\n");
  if (shown === undefined || shown === null || shown === false) return "";
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}

/** The body of POST /v1/sinks. */
export function sinkIn(form: FormData, type: Type): NewSink {
  const filter = valuesIn(form);
  return {
    type,
    config: configIn(form, MEMBERS[type]),
    from: textIn(form, "first"),
    ...sentIn(form),
    ...(Object.keys(filter).length > 0 && { filter }),
  } as NewSink;
}

/** The body of PATCH /v1/sinks/{id}. A configuration is replaced as a whole, and only if it was changed. */
export function sinkChangeIn(form: FormData, sink: Sink): SinkUpdate {
  const members = MEMBERS[sink.type];
  const filter = changedFilter(form, sink.filter);
  const isSame = members.every((member) => isSameIn(form, member, sink));
  return {
    ...(!isSame && { type: sink.type, config: configIn(form, members) }),
    ...sentIn(form),
    ...(filter !== undefined && { filter }),
  } as SinkUpdate;
}

function isSameIn(form: FormData, member: Member, sink: Sink): boolean {
  const before = valueOf(member, sink);
  if (member.kind === "flag") return form.has(member.name) === (before !== "");
  if (member.kind === "headers") return linesIn(form, member.name).join("\n") === before;
  return textIn(form, member.name) === before;
}

const sentIn = (form: FormData) => ({
  format: textIn(form, "format"),
  leave_out: chosenIn(form, "leave_out", PARTS),
  include_proof: form.has("include_proof"),
  on_rejected: textIn(form, "on_rejected"),
});

function configIn(form: FormData, members: readonly Member[]): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, kind } of members) {
    const text = textIn(form, name);
    if (text === "") continue;
    const [outer = "", inner] = name.split(".");
    const value =
      kind === "flag" ||
      (kind === "number" ? Number(text) : kind === "headers" ? headersIn(form, name) : text);
    config[outer] = inner === undefined ? value : { ...(config[outer] as object), [inner]: value };
  }
  return config;
}

/** A header without a value would be sent empty in place of its secret, so it is refused. */
function headersIn(form: FormData, name: string): Record<string, string> {
  return Object.fromEntries(
    linesIn(form, name).map((line) => {
      const end = line.indexOf(":");
      const [header, value] = [line.slice(0, end).trim(), line.slice(end + 1).trim()];
      // The line is not repeated: it may be a secret.
      if (end < 1) throw new Error("A header has no name: write a name, a colon and the value.");
      if (value === "")
        throw new Error(`Enter the value of ${header}, too: it is not kept for another receiver.`);
      return [header, value];
    }),
  );
}
