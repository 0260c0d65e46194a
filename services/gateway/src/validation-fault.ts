// Turns the findings of the schema validator into one fault in the client's own terms: `events[3].actor.id`.
// Called by errors.ts.

import { type AnnalsError, invalid } from "@annals/errors";
import type { FastifyError } from "fastify";

type Finding = NonNullable<FastifyError["validation"]>[number];

export function validationFault({ validation, validationContext }: FastifyError): AnnalsError {
  const finding = validation?.[0];
  if (!finding) return invalid({ field: "", message: "The request is not valid." });
  const steps = finding.instancePath.split("/").slice(1).map(unescape);
  const member = memberOf(finding);
  const all = member === undefined ? steps : [...steps, member];
  const field = validationContext === "querystring" ? formatParameter(all) : formatField(all);
  return invalid({
    field: field || subjectOf(validationContext),
    message: sentence(finding, validationContext),
  });
}

/** The member that a finding about its object is really about. */
function memberOf({ params }: Finding): string | undefined {
  const member = params["missingProperty"] ?? params["additionalProperty"];
  return typeof member === "string" ? member : undefined;
}

function sentence({ keyword, message, params }: Finding, context: string | undefined): string {
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return context === "querystring"
        ? "is not a parameter of this request"
        : "is not a member of this object";
    case "enum":
    case "const":
      return `must be one of ${[params["allowedValues"] ?? params["allowedValue"]].flat().join(", ")}`;
    case "not":
      return "cannot be changed";
    case "type":
      return `must be ${[params["type"]].flat().map(withArticle).join(" or ")}`;
    case "minLength":
    case "maxLength":
      return `must have at ${keyword === "minLength" ? "least" : "most"} ${count(params["limit"], "character")}`;
    case "minItems":
    case "maxItems":
      return `must have at ${keyword === "minItems" ? "least" : "most"} ${count(params["limit"], "item")}`;
    default:
      return message ?? "is not valid";
  }
}

function withArticle(type: unknown): string {
  return `${/^[aeiou]/.test(String(type)) ? "an" : "a"} ${String(type)}`;
}

function count(limit: unknown, noun: string): string {
  return `${String(limit)} ${noun}${limit === 1 ? "" : "s"}`;
}

function subjectOf(context: string | undefined): string {
  return context === "body" || context === undefined ? "body" : context;
}

function unescape(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Longest member name that is repeated to the client. */
const MAX_SHOWN = 80;

/** The name of a parameter is one text, whatever is in it. */
function formatParameter([name = "", ...steps]: readonly string[]): string {
  const rest = formatField(steps);
  return shown(name) + (rest === "" || rest.startsWith("[") ? rest : `.${rest}`);
}

const shown = (step: string): string =>
  step.length <= MAX_SHOWN ? step : `${step.slice(0, MAX_SHOWN)}…`;

function formatField(steps: readonly string[]): string {
  let field = "";
  for (const given of steps) {
    const step = shown(given);
    if (/^\d+$/.test(step)) field += `[${step}]`;
    else if (PLAIN.test(step)) field += field === "" ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
  }
  return field;
}
